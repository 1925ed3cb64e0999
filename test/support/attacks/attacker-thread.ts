import { connect } from 'node:net';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { AttackOrder } from './start-attack.ts';

const { port, addresses, forwarded = '', attack, isElsewhere } = workerData as AttackOrder;
const { connections, piece = '', times = 0, pauseMs = 0, isAborted = false } = attack;
/** An asterisk in `forwarded` stands for another number in each connection. */
const withForwarded = (text: string, number: number): string =>
  text.replaceAll('Host: x\r\n', `Host: x\r\n${forwarded.replace('*', (number % 0xffff).toString(16))}`);
const pieces = Buffer.from(withForwarded(piece.repeat(pauseMs > 0 ? 0 : times), 0));
let opened = 0;
if (isElsewhere && process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

function open(number: number): void {
  opened += 1;
  const localAddress = addresses > 0 ? `127.0.0.${2 + (number % addresses)}` : undefined;
  const socket = connect({ port, host: '127.0.0.1', ...(localAddress && { localAddress }) }).on(
    'error',
    () => {},
  );
  let timer: NodeJS.Timeout | undefined;
  socket.on('connect', () => {
    socket.cork();
    socket.write(withForwarded(attack.head, opened));
    socket.write(pieces, () => isAborted && socket.destroy());
    socket.uncork();
    if (pauseMs > 0) timer = setInterval(() => socket.write(piece), pauseMs);
  });
  socket.on('close', () => {
    clearInterval(timer);
    setTimeout(() => open(number), 2);
  });
  socket.resume();
}

for (let number = 0; number < connections; number += 1) open(number);
setInterval(() => parentPort?.postMessage(opened, []), 20);
