import { SingleBar } from 'cli-progress';
import type { PostSummary } from './post/tally.ts';

/** Standard error: a terminal, a file or a pipe. */
export type ErrorOutput = NodeJS.WritableStream & { isTTY?: boolean };

const redrawMs = 250;
const lineMs = 5000;

/** Shows progress until the returned function is called: a bar on a terminal, else a line every five seconds. */
export function showProgress(stderr: ErrorOutput, seconds: number, read: () => PostSummary): () => void {
  return stderr.isTTY === true ? showBar(stderr, seconds, read) : writeLines(stderr, seconds, read);
}

function showBar(stderr: ErrorOutput, seconds: number, read: () => PostSummary): () => void {
  const format = '{bar} {elapsed}/{total} s | {sent} sent, {accepted} accepted, {retries} retries | {rate}/s';
  const bar = new SingleBar({ format, stream: stderr, barsize: 24, hideCursor: true, gracefulExit: false });
  const numbers = (): object => {
    const now = read();
    return { ...now, elapsed: now.seconds.toFixed(0), rate: now.achievedRate.toFixed(0) };
  };
  bar.start(seconds, 0, numbers());
  const timer = setInterval(() => bar.update(Math.min(read().seconds, seconds), numbers()), redrawMs);
  return () => {
    clearInterval(timer);
    bar.update(Math.min(read().seconds, seconds), numbers());
    bar.stop();
  };
}

function writeLines(stderr: ErrorOutput, seconds: number, read: () => PostSummary): () => void {
  const timer = setInterval(() => {
    const { seconds: elapsed, sent, accepted, retries, achievedRate } = read();
    const counts = `${sent} sent, ${accepted} accepted, ${retries} retries`;
    stderr.write(`${elapsed.toFixed(0)}/${seconds} s: ${counts}, ${achievedRate.toFixed(1)}/s\n`);
  }, lineMs);
  return () => clearInterval(timer);
}
