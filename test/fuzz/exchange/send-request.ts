import { connect } from 'node:net';
import { readAnswer, type Answer } from './read-answer.ts';

/** Longer than the product may take for anything, on a machine that is busy with something else. */
const patienceMs = 30_000;

export type Outcome = { answer: Answer } | { closed: 'without an answer' } | { failed: string };

/** Sends bytes as they are and reads one answer. `isWhole` is false for a request that lacks its end: then the sending side closes. */
export function sendRequest(port: number, bytes: Buffer, method: string, isWhole: boolean): Promise<Outcome> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const finish = (outcome: Outcome): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const timer = setTimeout(() => finish({ failed: `no answer within ${patienceMs} ms` }), patienceMs);
    const read = (isEnded: boolean): boolean => {
      const answer = readAnswer(Buffer.concat(pieces), method, isEnded);
      if (answer !== undefined) finish({ answer });
      return answer !== undefined;
    };
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece);
      read(false);
    });
    socket.on('end', () => read(true) || finish({ closed: 'without an answer' }));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A request that was answered before its end was read is cut off; the answer may be lost with it.
      if (read(true)) return;
      finish(
        error.code === 'ECONNREFUSED' ? { failed: 'the process is gone' } : { closed: 'without an answer' },
      );
    });
    if (isWhole) socket.write(bytes);
    else socket.end(bytes);
  });
}
