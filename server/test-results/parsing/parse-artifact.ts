import { createHash } from 'node:crypto';
import { mergeReports, UnreadableReport, type ParsedReport } from './case-collector.ts';
import { parseReport } from './parse-report.ts';
import { unpackArtifact, type ReportFile } from './unpack-artifact.ts';

/**
 * Reads the reports of an artifact as one. Its other files are left out, such as settings in JSON. Takes as long as one report of the same
 * size.
 * @throws ReportTooLarge, UnreadableReport
 */
export async function parseArtifact(
  bytes: Uint8Array,
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
  return { report: mergeReports(reports), digest: digestOf(files), size: sizeOf(files) };
}

function digestOf(files: readonly ReportFile[]): string {
  const digest = createHash('sha256');
  for (const { name, bytes } of files) digest.update(`${name}\n${bytes.length}\n`).update(bytes);
  return digest.digest('hex');
}

const sizeOf = (files: readonly ReportFile[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes.length, 0);
