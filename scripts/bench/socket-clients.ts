import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';

/**
 * Many clients in a process of their own. Commands: `open URL N` (answers when all are open), `received` (messages so
 * far), `latencies` (arrival times of messages by run id, then forgets them), `close`.
 */
const clients: WebSocket[] = [];
let received = 0;
let arrivals: Record<string, number[]> = {};

process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const [command, url = '', count] = line.split(' ');
  if (command === 'open') await open(url, Number(count));
  if (command === 'close') for (const client of clients.splice(0)) client.terminate();
  process.stdout.write(`${command === 'latencies' ? takeArrivals() : received}\n`);
}

async function open(url: string, count: number): Promise<void> {
  for (let opened = 0; opened < count; opened += 100) {
    await Promise.all(Array.from({ length: Math.min(100, count - opened) }, () => connect(url)));
  }
}

function connect(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const client = new WebSocket(url, { perMessageDeflate: false });
    client.once('open', () => resolve());
    client.once('error', reject);
    client.on('message', (data: Buffer) => {
      received += 1;
      const runId = /"runId":(\d+)/.exec(data.toString('latin1', 0, 300))?.[1] ?? '';
      (arrivals[runId] ??= []).push(Date.now());
    });
    clients.push(client);
  });
}

function takeArrivals(): string {
  const text = JSON.stringify(arrivals);
  arrivals = {};
  return text;
}
