import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Lines of standard input. What is typed on a terminal is not shown. */
export function hiddenLines(): Interface {
  const { stdin } = process;
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: hidden, terminal: stdin.isTTY === true });
  // Ctrl-C ends the lines.
  lines.on('SIGINT', () => lines.close());
  return lines;
}
