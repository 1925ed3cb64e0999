import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';

/**
 * Many clients in their own process. Commands: `open URL N` (answers when all are open), `received N` (answers with the number of
 * messages after N more messages), `arrivals N` (also with the arrival time of each job).
 */
let received = 0;
let arrivals: Record<string, number[]> = {};
let wanted = { count: 0, met: (): void => {} };

const opensAtOnce = 50;

async function open(url: string, count: number): Promise<void> {
  for (let opened = 0; opened < count; opened += opensAtOnce) {
    const next = Math.min(opensAtOnce, count - opened);
    await Promise.all(Array.from({ length: next }, () => connect(url)));
  }
}

function connect(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const client = new WebSocket(url, { perMessageDeflate: false });
    client.once('open', () => resolve());
    client.once('error', reject);
    client.on('message', (data: Buffer) => {
      received += 1;
      note(data);
      if (received >= wanted.count) wanted.met();
    });
  });
}

const ids = /"integrationId":"([^"]+)".*?"jobId":(\d+)/;
/** The ids are well before this position. */
const idsWithin = 600;

function note(data: Buffer): void {
  const found = ids.exec(data.toString('latin1', 0, idsWithin));
  if (found === null) return;
  (arrivals[`${found[1]}/${found[2]}`] ??= []).push(Number(process.hrtime.bigint()) / 1e6);
}

/** Messages that arrive later count as lost. */
const patienceMs = 5000;

async function arrived(count: number): Promise<{ came: number; times: typeof arrivals }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const last = setTimeout(resolve, patienceMs);
  wanted = { count, met: resolve };
  if (received < count) await promise;
  clearTimeout(last);
  const taken = { came: Math.min(received, count), times: arrivals };
  [received, arrivals, wanted] = [Math.max(0, received - count), {}, { count: 0, met: () => {} }];
  return taken;
}

process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...args] = line.split(' ');
  if (command === 'open') await open(args[0] ?? '', Number(args[1]));
  const { came, times } = await arrived(command === 'open' ? 0 : Number(args[0]));
  process.stdout.write(`${command === 'arrivals' ? JSON.stringify(times) : came}\n`);
}
process.exit(0);
