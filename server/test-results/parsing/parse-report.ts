import { gunzipSync } from 'node:zlib';
import { reportLimits, UnreadableReport, type ParsedReport } from './case-collector.ts';
import { parseCtrf } from './ctrf.ts';
import { parseGoTest } from './go-test.ts';
import { parseJunit } from './junit.ts';

/** The report is larger than what is read. */
export class ReportTooLarge extends Error {}

/**
 * Reads a report of tests, gzipped or not. Its content tells the format: JUnit XML, CTRF or `go test -json`. Takes up to a second of
 * CPU, so it runs in a thread.
 * @throws ReportTooLarge, UnreadableReport
 */
export function parseReport(bytes: Uint8Array): ParsedReport {
  const text = decode(unpackReport(bytes)).trimStart();
  if (text === '') throw new UnreadableReport('The report is empty.');
  if (text.startsWith('<')) return parseJunit(text);
  if (!text.startsWith('{'))
    throw new UnreadableReport(
      'The report is neither XML nor JSON. JUnit XML, CTRF and the output of "go test -json" are read.',
    );
  return isGoTest(text) ? parseGoTest(text) : parseCtrf(text);
}

/** The bytes of a report, gzipped or not. @throws ReportTooLarge, UnreadableReport */
export function unpackReport(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return limited(bytes);
  try {
    return gunzipSync(bytes, { maxOutputLength: reportLimits.unpackedBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new ReportTooLarge();
    throw new UnreadableReport('The gzip stream is damaged.');
  }
}

function limited(bytes: Uint8Array): Uint8Array {
  if (bytes.length > reportLimits.unpackedBytes) throw new ReportTooLarge();
  return bytes;
}

/** Decodes by byte order mark, then by the declaration of the XML, then as UTF-8. Bytes that are not valid become U+FFFD. */
function decode(bytes: Uint8Array): string {
  const declared = /^\s*<\?xml[^>]{0,200}encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["']/i.exec(
    new TextDecoder('latin1').decode(bytes.subarray(0, 300)),
  )?.[1];
  return decoderOf(bytes, declared).decode(bytes);
}

function decoderOf(bytes: Uint8Array, declared: string | undefined): TextDecoder {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le');
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be');
  if (first === 0x3c && second === 0) return new TextDecoder('utf-16le');
  if (first === 0 && second === 0x3c) return new TextDecoder('utf-16be');
  try {
    // A file that could be read until its declaration is not UTF-16, whatever it declares.
    return new TextDecoder(declared === undefined || /utf-?16/i.test(declared) ? 'utf-8' : declared);
  } catch {
    return new TextDecoder();
  }
}

/** The first line of the output of `go test -json` is an event. */
function isGoTest(text: string): boolean {
  const end = text.indexOf('\n');
  return /^\{.{0,4000}"Action"\s*:/.test(text.slice(0, end === -1 ? 4096 : Math.min(end, 4096)));
}
