import type { FailureReason } from '#contract/failures/failure-reason.ts';
import { makeBreaks } from '#platform/runtime/tasks/breaks.ts';
import { chooseErrorLine } from './choose-error-line.ts';
import { excerptsOf } from './excerpts.ts';
import { failedSteps, type FailedJob } from './failed-job.ts';
import { SecretLines } from '#server/masking/secret-lines.ts';
import { MarkedSections } from './steps/marked-sections.ts';
import type { Section } from './steps/section.ts';
import { TimedSections, timesOf } from './steps/timed-sections.ts';
import { linesOf, type LogLine } from './stream/log-line.ts';
import { LogTail } from './stream/log-tail.ts';
import { LineSplitter } from './stream/split-lines.ts';

/**
 * Reads the log of one job as the forge sends it and keeps what explains the failure. What arrived before an interruption is used.
 * @throws the error of the stream when nothing arrived.
 */
export async function readFailureLog(
  bytes: AsyncIterable<Uint8Array>,
  job: FailedJob,
): Promise<FailureReason> {
  const tail = new LogTail();
  const missing = await fill(tail, bytes);
  const sections = await findSections(tail, job);
  const [first] = failedSteps(job);
  return {
    step: sections[0]?.step ?? (first === undefined ? null : { number: first.number, name: first.name }),
    ...chooseErrorLine(job.annotations, sections),
    excerpts: await excerptsOf(sections),
    missing,
  };
}

async function fill(tail: LogTail, bytes: AsyncIterable<Uint8Array>): Promise<FailureReason['missing']> {
  const breaks = makeBreaks();
  try {
    for await (const chunk of bytes) {
      for (let at = 0; at < chunk.length; at += tail.add(chunk, at)) await breaks();
    }
  } catch (error) {
    if (tail.isEmpty) throw error;
    return 'end';
  }
  return tail.isCut ? 'start' : null;
}

/** The sections of the failed steps: by the times of the steps where they lead to errors, else by the groups in the log. */
async function findSections(tail: LogTail, job: FailedJob): Promise<Section[]> {
  const failed = failedSteps(job);
  const times = timesOf(failed);
  if (times !== undefined) {
    const timed = new TimedSections(times);
    await readLines(tail, timed);
    if (timed.failed.some(({ finder }) => finder.best !== undefined)) return timed.failed;
    const marked = await markedSections(tail, failed);
    const hasErrors = marked.some(({ finder }) => finder.best !== undefined);
    return hasErrors || timed.failed.length === 0 ? marked : timed.failed;
  }
  return markedSections(tail, failed);
}

async function markedSections(tail: LogTail, failed: ReturnType<typeof failedSteps>): Promise<Section[]> {
  const marked = new MarkedSections(failed);
  await readLines(tail, marked);
  return marked.failed;
}

async function readLines(tail: LogTail, sections: TimedSections | MarkedSections): Promise<void> {
  const breaks = makeBreaks();
  const secrets = new SecretLines();
  const splitter = new LineSplitter();
  let number = tail.droppedLines;
  let before: LogLine | undefined;
  // A token can continue on the next line, so a line waits for it.
  const take = (next: LogLine | undefined): void => {
    if (before !== undefined) {
      before.secrets = secrets.find(before.text, next?.text ?? '');
      sections.add(before);
    }
    before = next;
  };
  const read = async (text: string): Promise<void> => {
    await breaks();
    for (const line of linesOf(text)) {
      number++;
      // The first line can begin inside a secret, which then cannot be recognized.
      if (tail.isCut && number === tail.droppedLines + 1) continue;
      line.number = number;
      take(line);
      if (number % 16 === 0) await breaks();
    }
  };
  for (const block of tail.blocks()) for (const text of splitter.add(block)) await read(text);
  for (const text of splitter.end()) await read(text);
  take(undefined);
}
