import net from 'node:net';
import type { Template } from './webhook-templates.ts';

/** A keep-alive connection with one request at a time. */
export interface Connection {
  /** `from` is the start of the latency, from `performance.now()`. */
  send(template: Template, from: number): void;
  close(): void;
}

export interface Answers {
  onAnswer(connection: Connection, from: number, isAccepted: boolean): void;
  onLost(): void;
}

export function connectAll(port: number, count: number, answers: Answers): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => connect(port, answers)));
}

const capitalH = 0x48;
const digitTwo = 0x32;
const statusAt = 'HTTP/1.1 '.length;

async function connect(port: number, { onAnswer, onLost }: Answers): Promise<Connection> {
  const socket = net.connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  let sent: { template: Template; from: number } | undefined;
  let isClosing = false;
  const connection: Connection = {
    send: (template, from) => {
      sent = { template, from };
      socket.write(template.bytes);
    },
    close: () => {
      isClosing = true;
      socket.destroy();
    },
  };
  socket.on('data', (chunk: Buffer) => {
    // Only the first chunk of a response starts with a status line.
    if (chunk[0] !== capitalH || sent === undefined) return;
    const { template, from } = sent;
    sent = undefined;
    template.isInFlight = false;
    onAnswer(connection, from, chunk[statusAt] === digitTwo);
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    if (!isClosing) onLost();
  });
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  return connection;
}
