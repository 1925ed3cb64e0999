import type { PostSummary } from './tally.ts';

/** Standard error: a terminal, a file or a pipe. */
export type ErrorOutput = NodeJS.WritableStream & { isTTY?: boolean };

const redrawMs = 250;
const lineMs = 5000;
/** Returns to the start of the line and clears it (ECMA-48). */
const clearLine = '\r\u001b[2K';

/** Shows progress until the returned function is called: one line that is redrawn on a terminal, else a line every five seconds. */
export function showProgress(stderr: ErrorOutput, seconds: number, read: () => PostSummary): () => void {
  const text = (): string => {
    const { seconds: elapsed, sent, accepted, retries, achievedRate } = read();
    const counts = `${sent} sent, ${accepted} accepted, ${retries} retries`;
    return `${elapsed.toFixed(0)}/${seconds} s: ${counts}, ${achievedRate.toFixed(1)}/s`;
  };
  const write = () => stderr.write(stderr.isTTY === true ? clearLine + text() : `${text()}\n`);
  const timer = setInterval(write, stderr.isTTY === true ? redrawMs : lineMs);
  return () => {
    clearInterval(timer);
    if (stderr.isTTY === true) stderr.write(`${clearLine}${text()}\n`);
  };
}
