import { fork } from 'node:child_process';
import { after } from 'node:test';
import type { HostileAnswer, HostileRequest } from './hostile-sender-process.ts';

/** A process that makes hostile requests and sends them; ended with the file. */
export function startHostileSender() {
  const child = fork(new URL('hostile-sender-process.ts', import.meta.url));
  after(() => child.kill());
  const waiting = new Map<number, (answer: HostileAnswer) => void>();
  child.on('message', (answer: HostileAnswer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  let id = 0;
  return (request: Omit<HostileRequest, 'id'>): Promise<HostileAnswer> =>
    new Promise((resolve) => {
      id += 1;
      waiting.set(id, resolve);
      child.send({ id, ...request });
    });
}
