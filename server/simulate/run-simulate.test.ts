import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { verify } from '@octokit/webhooks-methods';
import { runSimulate, type SimulateOptions } from './run-simulate.ts';
import type { PostSummary } from './post/tally.ts';
import { serve } from '#test/support/network/serve.ts';

const secret = 'a secret';

interface Received {
  deliveryId: string;
  body: string;
}

/** Accepts requests with a valid signature and refuses others. Its `signal` fires after `enough` requests. */
async function startService(enough = 60) {
  const received: Received[] = [];
  const heardEnough = new AbortController();
  const { url: baseUrl } = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const isRight = await verify(secret, body, String(request.headers['x-hub-signature-256']));
    received.push({ deliveryId: String(request.headers['x-forge-delivery']), body });
    if (received.length === enough) heardEnough.abort();
    response.writeHead(isRight ? 200 : 401).end(JSON.stringify(isRight ? {} : { code: 'invalid_signature' }));
  });
  return { received, signal: heardEnough.signal, baseUrl };
}

function collect(): { stream: PassThrough; text: () => string } {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

type ServiceOptions = Pick<SimulateOptions, 'baseUrl' | 'signal'>;

/** Runs until the service has received enough requests, which takes as long as the machine needs. */
async function simulate(options: Partial<SimulateOptions> & ServiceOptions) {
  const [stdout, stderr] = [collect(), collect()];
  const exitCode = await runSimulate({
    integrationId: '0198d1f0-7a5c-7b1e-9d1e-2f3c4b5a6978',
    secret,
    mark: undefined,
    rate: 300,
    seconds: 3600,
    seed: 7,
    shuffle: false,
    duplicates: 0,
    concurrency: 8,
    ...options,
    stdout: stdout.stream,
    stderr: stderr.stream,
  });
  return { exitCode, summary: JSON.parse(stdout.text()) as PostSummary, stderr: stderr.text() };
}

test('simulate exits with 0 when all events are accepted, with JSON on stdout and the table on stderr', async () => {
  const { received, ...service } = await startService();
  const { exitCode, summary, stderr } = await simulate(service);
  assert.equal(exitCode, 0);
  assert.ok(summary.sent >= 60);
  assert.deepEqual([summary.accepted, summary.sent], [received.length, received.length]);
  assert.match(stderr, /^accepted +\d+, lost 0, retries 0$/m);
  assert.match(stderr, /^latency +p50 [\d.]+ ms, p95 /m);
});

test('simulate exits with 1 after a wrong secret, with the reason in the summary', async () => {
  const service = await startService();
  const { exitCode, summary, stderr } = await simulate({ ...service, secret: 'another' });
  assert.equal(exitCode, 1);
  assert.deepEqual([summary.accepted, summary.lost], [0, summary.sent]);
  assert.match(stderr, /^refusals +invalid_signature \d+$/m);
});

test('simulate repeats deliveries and sends them out of order when requested', async () => {
  const { received, ...service } = await startService(250);
  const { exitCode } = await simulate({ ...service, shuffle: true, duplicates: 0.3, concurrency: 1 });
  assert.equal(exitCode, 0);
  const ids = received.map(({ deliveryId }) => deliveryId);
  assert.ok(new Set(ids).size < ids.length * 0.9);
  assert.ok(!hasJobsInOrder(received));
});

test('simulate sends each delivery once and in order by default', async () => {
  const { received, ...service } = await startService(250);
  await simulate({ ...service, concurrency: 1 });
  assert.equal(new Set(received.map(({ deliveryId }) => deliveryId)).size, received.length);
  assert.ok(hasJobsInOrder(received));
});

/** Whether the jobs of each run are queued in the order of their ids. */
function hasJobsInOrder(received: readonly Received[]): boolean {
  type Body = { action: string; workflow_job?: { id: number; run_id: number } };
  const last = new Map<number, number>();
  return received.every(({ body }) => {
    const { action, workflow_job: job } = JSON.parse(body) as Body;
    if (action !== 'queued' || job === undefined) return true;
    const isNext = job.id >= (last.get(job.run_id) ?? 0);
    last.set(job.run_id, job.id);
    return isNext;
  });
}

test('times in simulated payloads are current and never in the future', async () => {
  const { received, ...service } = await startService();
  const startedAt = Math.floor(Date.now() / 1000) * 1000;
  await simulate(service);
  const times = received.flatMap(({ body }) => /"updated_at":"([^"]+)","actor"/.exec(body)?.[1] ?? []);
  assert.ok(times.length > 10);
  assert.ok(times.every((time) => Date.parse(time) >= startedAt && Date.parse(time) <= Date.now()));
});

test('an abort ends simulate early, with a summary of the accepted events', async () => {
  const service = await startService(20);
  const { exitCode, summary } = await simulate(service);
  assert.equal(exitCode, 0);
  assert.ok(summary.sent >= 20 && summary.sent < 60);
  assert.equal(summary.accepted, summary.sent);
});
