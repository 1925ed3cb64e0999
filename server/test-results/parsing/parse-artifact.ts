import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { mergeReports, reportLimits, UnreadableReport, type ParsedReport } from './case-collector.ts';
import type { KnownResults } from './known-results.ts';
import { parseReport, ReportTooLarge, unpackReport } from './parse-report.ts';

interface ReportFile {
  name: string;
  bytes: Uint8Array;
}

/** With files of other kinds, such as the traces of a browser test. */
const mostEntries = 20_000;
/** Maven writes one for each class. */
const mostFiles = 5_000;

const ofReports = /\.(?:xml|json|jsonl|ndjson)$/i;

/** All results of an artifact are in other artifacts of its attempt. */
export class RepeatedResults extends Error {}

const isRepetition = 'All its results are in other files of the attempt, so it is left out.';

/**
 * Reads the reports of an artifact as one. Its other files are left out, such as settings in JSON, and those that repeat results of others.
 * Takes as long as one report of the same size. `known` holds the results of the artifacts before it, and of this one afterwards.
 * @throws RepeatedResults, ReportTooLarge, UnreadableReport
 */
export async function parseArtifact(
  bytes: Uint8Array,
  known: KnownResults,
): Promise<{ report: ParsedReport; digest: string; size: number }> {
  const files = await unpackArtifact(bytes);
  const reports: (ParsedReport & { file: string })[] = [];
  const refusals: string[] = [];
  for (const { name, bytes: unpacked } of files) {
    try {
      reports.push({ ...parseReport(unpacked), file: name });
    } catch (error) {
      if (!(error instanceof UnreadableReport)) throw error;
      refusals.push(error.message);
    }
  }
  if (reports.length === 0)
    throw new UnreadableReport(
      (files.length === 1 && refusals[0]) ||
        `The archive has no report: ${files.length} of its files are XML or JSON.`,
    );
  const repeated = known.repeatedIn(reports);
  if (repeated.size === reports.length) throw new RepeatedResults();
  const own = reports.map((each) =>
    repeated.has(each) ? { ...each, cases: [], faults: [isRepetition] } : each,
  );
  return { report: mergeReports(own), digest: digestOf(files), size: sizeOf(files) };
}

function digestOf(files: readonly ReportFile[]): string {
  const digest = createHash('sha256');
  for (const { name, bytes } of files) digest.update(`${name}\n${bytes.length}\n`).update(bytes);
  return digest.digest('hex');
}

const sizeOf = (files: readonly ReportFile[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes.length, 0);

/**
 * The files of an artifact that may be reports of tests, in memory. An archive that says anything wrong about itself is refused as a
 * whole. Bytes are counted as they are unpacked, because an archive may lie about them. Archives in it are not opened, nor
 * gzipped files, which could grow once more.
 * @throws ReportTooLarge, UnreadableReport
 */
async function unpackArtifact(bytes: Uint8Array): Promise<ReportFile[]> {
  // An artifact of one file may come without an archive.
  if (!isZip(bytes)) return [{ name: '', bytes: unpackReport(bytes) }];
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const zip = await fromBufferPromise(buffer, { lazyEntries: true });
    if (zip.entryCount > mostEntries) throw new ReportTooLarge();
    return await filesOf(zip);
  } catch (error) {
    if (error instanceof ReportTooLarge || error instanceof UnreadableReport) throw error;
    throw new UnreadableReport(`The archive is damaged: ${short(error)}.`);
  }
}

const isZip = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b;

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

async function filesOf(zip: ZipFile): Promise<ReportFile[]> {
  const files: ReportFile[] = [];
  let left: number = reportLimits.unpackedBytes;
  let entries = 0;
  for await (const entry of zip.eachEntry()) {
    // The number at the end of the archive may be a lie, too.
    if ((entries += 1) > mostEntries || files.length >= mostFiles) throw new ReportTooLarge();
    if (!ofReports.test(entry.fileName)) continue;
    const unpacked = await readEntry(zip, entry, left);
    left -= unpacked.length;
    if (isGzip(unpacked)) continue;
    files.push({ name: entry.fileName, bytes: unpacked });
  }
  return files;
}

async function readEntry(zip: ZipFile, entry: Entry, most: number): Promise<Buffer> {
  if (entry.isEncrypted()) throw new UnreadableReport('The archive is encrypted.');
  const stream: Readable = await zip.openReadStreamPromise(entry);
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop ends the unpacking.
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > most) throw new ReportTooLarge();
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (crc32(bytes) !== entry.crc32)
    throw new UnreadableReport('The archive is damaged: a file does not match its checksum.');
  return bytes;
}

/** The library's words may contain the name of a file. */
function short(error: unknown): string {
  const text = error instanceof Error ? error.message : 'unknown fault';
  return text.slice(0, 200).replace(/\.$/, '');
}
