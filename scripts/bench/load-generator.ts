import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { createInterface } from 'node:readline';
import { createSimulator } from '#server/simulate/lifecycle.ts';
import { percentile } from './numbers.ts';

/**
 * Posts signed webhooks over raw sockets with requests made beforehand, in a process of its own, so that the sender is
 * not what is measured. Commands on standard input: `closed PORT SECONDS CONNECTIONS` (as fast as answers come) and
 * `open PORT SECONDS CONNECTIONS RATE` (arrivals on schedule; latency counts from the scheduled time).
 */
interface Target {
  integrationId: string;
  webhookSecret: string;
}

interface Prepared {
  bytes: Buffer;
  idAt: number;
}

const [targetsFile = '', bodyBytes = '10000'] = process.argv.slice(2);
const targets = JSON.parse(readFileSync(targetsFile, 'utf8')) as Target[];
const requests = prepare(targets, Number(bodyBytes));
let sent = Date.now() % 1_000_000_000;

process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const [mode, port, seconds, connections, rate] = line.split(' ');
  const summary = await run(
    mode === 'open',
    Number(port),
    Number(seconds),
    Number(connections),
    Number(rate),
  );
  process.stdout.write(`${JSON.stringify(summary)}\n`);
}

async function run(isOpen: boolean, port: number, seconds: number, connections: number, rate: number) {
  const latencies: number[] = [];
  let failed = 0;
  const endAt = performance.now() + seconds * 1000;
  const startAt = performance.now();
  let scheduled = 0;
  /** When the next request is due; closed loops are always due. */
  const nextDue = (): number => (isOpen ? startAt + (scheduled++ / rate) * 1000 : performance.now());

  await Promise.all(
    Array.from(
      { length: connections },
      () =>
        new Promise<void>((resolve) => {
          const socket = net.connect(port, '127.0.0.1');
          socket.setNoDelay(true);
          let due = 0;
          const send = (): void => {
            due = nextDue();
            if (due >= endAt) {
              socket.destroy();
              resolve();
              return;
            }
            const waitMs = due - performance.now();
            if (waitMs > 1) setTimeout(write, waitMs);
            else write();
          };
          const write = (): void => void socket.write(nextRequest());
          socket.on('connect', send);
          socket.on('data', (chunk: Buffer) => {
            if (chunk.toString('latin1', 9, 12) !== '200') failed += 1;
            latencies.push(performance.now() - due);
            send();
          });
          socket.on('error', () => {
            failed += 1;
            resolve();
          });
        }),
    ),
  );
  return {
    rate: (latencies.length - failed) / seconds,
    failed,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}

/** A copy with a delivery id of its own: the socket may still be writing the one before. */
function nextRequest(): Buffer {
  const { bytes, idAt } = requests[sent % requests.length] as Prepared;
  const request = Buffer.from(bytes);
  request.write(sent.toString(16).padStart(12, '0'), idAt, 'latin1');
  sent += 1;
  return request;
}

function prepare(all: readonly Target[], wantedBytes: number): Prepared[] {
  const jobs = createSimulator({ seed: 'bench', startAt: new Date() })
    .stream()
    .filter(({ eventType }) => eventType === 'workflow_job')
    .take(400);
  const bodies = [...jobs].map(({ payload }) => padded(payload, wantedBytes));
  const idTemplate = '00000000-0000-1000-8000-000000000000';
  return Array.from({ length: 2000 }, (_, index) => {
    const { integrationId, webhookSecret } = all[index % all.length] as Target;
    const body = bodies[index % bodies.length] as Buffer;
    const signature = createHmac('sha256', webhookSecret).update(body).digest('hex');
    const head = Buffer.from(
      `POST /api/import/${integrationId} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n` +
        `x-github-event: workflow_job\r\nx-github-delivery: ${idTemplate}\r\nx-hub-signature-256: sha256=${signature}\r\n` +
        `content-length: ${body.length}\r\n\r\n`,
    );
    return { bytes: Buffer.concat([head, body]), idAt: head.indexOf(idTemplate) + 24 };
  });
}

/** Brings a body near the wanted size with more of the steps that real jobs have. */
function padded(payload: object, wantedBytes: number): Buffer {
  const job = (payload as { workflow_job: { steps: object[] } }).workflow_job;
  const steps = [...job.steps];
  const size = () => Buffer.byteLength(JSON.stringify({ ...payload, workflow_job: { ...job, steps } }));
  for (let number = steps.length + 1; size() < wantedBytes; number += 1) {
    steps.push({
      name: `Run check ${number * 7919}`,
      status: 'queued',
      conclusion: null,
      number,
      started_at: null,
      completed_at: null,
    });
  }
  return Buffer.from(JSON.stringify({ ...payload, workflow_job: { ...job, steps } }));
}
