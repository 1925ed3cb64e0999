import { hash } from 'node:crypto';
import { maskLog } from '#server/masking/mask-text.ts';
import type { ReportedCase } from '../parsing/case-collector.ts';
import { UnreadableReport, type ParsedReport } from '../parsing/case-collector.ts';
import { parseReport, ReportTooLarge, unpackReport } from '../parsing/parse-report.ts';

/** What became of a report. `digest` is the hash of its unpacked bytes, `size` their number. Errors cross the border of a thread as values. */
export type ParseResult =
  | { parsed: ParsedReport; digest: string; size: number }
  | { unreadable: string }
  | { tooLarge: true };

/** Reads a report and masks the secrets in it. @public Runs in a thread. */
export function task({ bytes }: { bytes: Uint8Array }): ParseResult {
  try {
    const unpacked = unpackReport(bytes);
    const parsed = parseReport(unpacked);
    return {
      parsed: { ...parsed, cases: parsed.cases.map(maskCase) },
      digest: hash('sha256', unpacked),
      size: unpacked.length,
    };
  } catch (error) {
    if (error instanceof ReportTooLarge) return { tooLarge: true };
    if (error instanceof UnreadableReport) return { unreadable: error.message };
    throw error;
  }
}

function maskCase(found: ReportedCase): ReportedCase {
  if (found.message === null && found.trace === null) return found;
  return { ...found, message: masked(found.message), trace: masked(found.trace) };
}

const masked = (text: string | null): string | null => (text === null ? null : maskLog(text));
