import { stripVTControlCharacters } from 'node:util';
import type { FailureReason, LogLine } from '#contract/failures/failure-reason.ts';
import { visibleText } from '#contract/base/plain-text.ts';
import { type FailedJob, isFailed } from './failed-job.ts';

/** Larger logs are read from their end. */
const maxLogBytes = 20 * 1024 * 1024;

const maxErrorLine = 500;
const contextLines = 10;

/**
 * Reads the log of one job as the forge sends it and keeps what explains the failure. What arrived before an interruption is used.
 * @throws the error of the stream when nothing arrived.
 */
export async function readFailureLog(
  bytes: AsyncIterable<Uint8Array>,
  job: FailedJob,
): Promise<FailureReason> {
  const { text, missing } = await readTail(bytes);
  const lines = text.split('\n').map((line) => line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z ?/, ''));
  const failed = job.steps.find(isFailed);
  const step = failed === undefined ? null : { number: failed.number, name: failed.name };
  const annotation = job.annotations.find(
    ({ level, message }) => level === 'failure' && !message.startsWith('Process completed with exit code'),
  );
  const found = lines.findIndex((line) => line.startsWith('##[error]'));
  const at = found < 0 ? lines.length - 1 : found;
  const firstLine = Math.max(0, at - contextLines);
  const errorLine = visibleText(annotation?.message ?? lines[at] ?? '').slice(0, maxErrorLine);
  return {
    step,
    errorLine: errorLine === '' ? null : errorLine,
    excerpts: [
      {
        step,
        firstLine: firstLine + 1,
        firstLineOfStep: null,
        lines: lines.slice(firstLine, at + contextLines + 1).map(toLine),
      },
    ],
    infrastructure: null,
    missing,
  };
}

function toLine(text: string): LogLine {
  return { spans: [{ text: stripVTControlCharacters(text).slice(0, maxErrorLine) }] };
}

async function readTail(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ text: string; missing: FailureReason['missing'] }> {
  let tail = Buffer.alloc(0);
  let missing: FailureReason['missing'] = null;
  try {
    for await (const chunk of bytes) {
      tail = Buffer.concat([tail, chunk]);
      if (tail.length > maxLogBytes) missing = 'start';
      tail = tail.subarray(-maxLogBytes);
    }
  } catch (error) {
    if (tail.length === 0) throw error;
    missing = 'end';
  }
  return { text: tail.toString(), missing };
}
