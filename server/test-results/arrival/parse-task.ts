import { hash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { maskLog } from '#server/masking/mask-text.ts';
import { UnreadableReport, type ParsedReport, type ReportedCase } from '../parsing/case-collector.ts';
import { parseReport, ReportTooLarge, unpackReport } from '../parsing/parse-report.ts';
import { KnownResults } from '../parsing/known-results.ts';
import { parseArtifact, RepeatedResults } from '../parsing/parse-artifact.ts';
import { prepareCases, type PreparedCases, type ReportTarget } from '../storing/prepare-report.ts';
import { totalsOf, type ReportTotals } from '../storing/sum-report.ts';

/**
 * Bytes of a report; or of an artifact with reports, beside the results of other artifacts; or cases that were packed before. Cases are
 * prepared if their run is known, and packed otherwise.
 */
export type ParseInput =
  | { bytes: Uint8Array; knownResults?: Uint8Array; target: ReportTarget | undefined }
  | { packed: Uint8Array; target: ReportTarget };

export interface ReadReport extends Partial<PreparedCases> {
  format: ParsedReport['format'];
  faults: string[];
  totals: ReportTotals;
  /** The hash of the unpacked bytes, and their number. */
  digest: string;
  size: number;
  packed?: Uint8Array;
  /** The known results with those of this artifact. */
  knownResults?: Uint8Array;
}

/** Errors cross the border of a thread as values. */
export type ParseResult =
  | ReadReport
  | PreparedCases
  | { unreadable: string }
  | { tooLarge: true }
  | { repeated: true };

/** Reads a report and masks the secrets in it. @public Runs in a thread. */
export async function task(input: ParseInput): Promise<ParseResult> {
  if ('packed' in input)
    return prepareCases(JSON.parse(gunzipSync(input.packed).toString()) as ReportedCase[], input.target);
  try {
    const known = input.knownResults && new KnownResults(input.knownResults);
    const { report, digest, size } = known
      ? await parseArtifact(input.bytes, known)
      : parseUpload(input.bytes);
    const { format, faults, cases: found } = report;
    const cases = found.map(maskCase);
    return {
      format,
      faults,
      totals: totalsOf(cases),
      digest,
      size,
      ...(known && { knownResults: known.toBytes() }),
      ...(input.target === undefined
        ? { packed: gzipSync(JSON.stringify(cases)) }
        : prepareCases(cases, input.target)),
    };
  } catch (error) {
    if (error instanceof RepeatedResults) return { repeated: true };
    if (error instanceof ReportTooLarge) return { tooLarge: true };
    if (error instanceof UnreadableReport) return { unreadable: error.message };
    throw error;
  }
}

function parseUpload(bytes: Uint8Array) {
  const unpacked = unpackReport(bytes);
  return { report: parseReport(unpacked), digest: hash('sha256', unpacked), size: unpacked.length };
}

function maskCase(found: ReportedCase): ReportedCase {
  if (found.message === null && found.trace === null) return found;
  return { ...found, message: masked(found.message), trace: masked(found.trace) };
}

const masked = (text: string | null): string | null => (text === null ? null : maskLog(text));
