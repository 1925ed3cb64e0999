import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { at } from '#test/support/data/forge-events.ts';
import { readRows } from '#test/support/database/rows.ts';
import { job, run } from '#test/support/traces/finished-events.ts';
import { setUpTraceExporter } from '#test/support/traces/trace-exporter.ts';
import type { TraceTarget } from '#test/support/traces/trace-target.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { exportPolicy } from '../policy.ts';
import { runSpanId, traceIdOf } from '../traces/trace-ids.ts';

const { database, targets, advance, start, integrationTo, store, entries, waiting, failuresOf } =
  await setUpTraceExporter();

const settle = (): void => advance(exportPolicy.settleMs);

const namesAt = ({ accepted }: TraceTarget): string[] => accepted.map(({ name }) => name);
const runsAt = ({ accepted }: TraceTarget): unknown[] =>
  accepted.filter(({ kind }) => kind === 2).map(({ resource }) => Number(resource['cicd.pipeline.run.id']));

test('a run is exported once with all its jobs, after the last one has completed', async (t) => {
  const target = targets.newTarget();
  const integrationId = await integrationTo(target.url);
  await start(t);
  const step = { number: 1, name: 'Run tests', status: 'completed', conclusion: 'success' };
  await store(integrationId, job(1, 100, { steps: [{ ...step, started_at: at(11), completed_at: at(49) }] }));
  await store(integrationId, job(2, 100, { status: 'in_progress', conclusion: null, completed_at: null }));
  await store(integrationId, run(100));
  settle();
  await waitUntil('the run to be postponed', async () => {
    const runs = { group_id: integrationId };
    const [row] = await readRows<{ due_at: Date; noted_at: Date }>(database, 'trace_export_runs', runs);
    return Number(row!.due_at) > Number(row!.noted_at) + exportPolicy.settleMs;
  });
  assert.deepEqual(target.requests, []);
  await store(integrationId, job(2, 100, { name: 'deploy' }));
  advance(exportPolicy.checkJobsEveryMs);
  await waitUntil('the trace', () => target.accepted.length > 0);
  assert.deepEqual(namesAt(target), ['CI', 'build', 'queue-build', 'Run tests', 'deploy', 'queue-deploy']);
  assert.deepEqual([...new Set(target.accepted.map(({ traceId }) => traceId))], [traceIdOf(100, 1)]);
  await waitUntil('nothing to wait', async () => (await waiting(integrationId)) === 0);
  assert.equal(target.requests.length, 1);
});

test('each attempt is a trace of its own, linked to the one before, also when the next one has begun', async (t) => {
  const target = targets.newTarget();
  const integrationId = await integrationTo(target.url);
  await start(t);
  await store(integrationId, run(100, { conclusion: 'cancelled' }), job(1, 100));
  await store(integrationId, run(100, { run_attempt: 2, status: 'in_progress', updated_at: at(70) }));
  settle();
  await waitUntil('the first attempt', () => target.accepted.length === 3);
  await store(integrationId, run(100, { run_attempt: 2, run_started_at: at(70), updated_at: at(90) }));
  settle();
  await waitUntil('the second attempt', () => target.accepted.length === 4);
  const [first, second] = [target.accepted[0]!, target.accepted[3]!];
  assert.deepEqual([first.traceId, first.links], [traceIdOf(100, 1), []]);
  assert.equal(first.attributes['cicd.pipeline.result'], 'cancellation');
  assert.deepEqual(
    [second.traceId, second.links, second.startMs],
    [traceIdOf(100, 2), [{ traceId: traceIdOf(100, 1), spanId: runSpanId(100, 1) }], Date.parse(at(70))],
  );
});

test('targets that hang, redirect, refuse or have a private address delay nobody else and are in the event log', async (t) => {
  const [hangs, redirects, busy, good] = Array.from({ length: 4 }, () => targets.newTarget()) as [
    TraceTarget,
    TraceTarget,
    TraceTarget,
    TraceTarget,
  ];
  hangs.answerWith(() => {});
  redirects.answerWith((response) =>
    response.writeHead(307, { location: 'http://10.0.0.1/v1/traces' }).end(),
  );
  busy.answerWith((response) => response.writeHead(503).end());
  const bad = await Promise.all(
    [hangs.url, redirects.url, busy.url, `http://private.example.com:${targets.port}`].map((url) =>
      integrationTo(url),
    ),
  );
  const other = await integrationTo(good.url);
  await start(t);
  for (const integrationId of [...bad, other]) await store(integrationId, run(1), job(1, 1));
  settle();
  await waitUntil('the good target', () => good.accepted.length === 3);
  for (const failures of [1, 2, 3])
    await waitUntil(`${failures} failures`, async () => {
      const counts = await Promise.all(bad.map((integrationId) => failuresOf(integrationId)));
      const areAll = counts.every((count) => count === failures);
      if (areAll) advance(exportPolicy.minBackOffMs * 2 ** (failures - 1));
      return areAll;
    });
  const told = await Promise.all(bad.map(entries));
  const host = `127.0.0.1:${targets.port}`;
  assert.deepEqual(
    told.map((lines) => lines.map(({ type, title }) => [type, title])),
    [
      [['trace_export.failing', `Runs cannot be exported to ${host}: The URL did not answer in time.`]],
      [
        [
          'trace_export.failing',
          `Runs cannot be exported to ${host}: The target answered 307. Redirects are not followed: enter the final URL.`,
        ],
      ],
      [['trace_export.failing', `Runs cannot be exported to ${host}: The target answered 503.`]],
      [
        [
          'trace_export.failing',
          `Runs cannot be exported to private.example.com:${targets.port}: The URL resolves to a private address. The operator can allow its network with ALERT_ALLOWED_NETWORKS.`,
        ],
      ],
    ],
  );
  assert.deepEqual(await Promise.all(bad.map(waiting)), [1, 1, 1, 1]);
});

test('a target that answers 429 for a day is asked as often as it wants and loses nothing', async (t) => {
  const target = targets.newTarget();
  const integrationId = await integrationTo(target.url);
  target.answerWith((response) => response.writeHead(429, { 'retry-after': '1800' }).end());
  await start(t);
  const runIds = Array.from({ length: 24 }, (_, hour) => hour + 1);
  for (const runId of runIds) {
    await store(integrationId, run(runId));
    advance(3_600_000);
    await waitUntil('the answer to be stored', async () => (await failuresOf(integrationId)) === runId);
  }
  assert.equal(target.requests.length, runIds.length);
  target.answerWith(undefined);
  advance(3_600_000);
  await waitUntil('all runs', async () => (await waiting(integrationId)) === 0);
  assert.deepEqual(runsAt(target), runIds);
  assert.deepEqual(
    (await entries(integrationId)).map(({ type }) => type),
    ['trace_export.failing', 'trace_export.recovered'],
  );
});

test('an export that a target does not accept within the retention is dropped, with a line in the event log', async (t) => {
  const target = targets.newTarget();
  const integrationId = await integrationTo(target.url);
  target.answerWith((response) => response.writeHead(503).end());
  await start(t);
  await store(integrationId, run(1));
  settle();
  const refusal = (count: number) =>
    waitUntil('a refusal', async () => (await failuresOf(integrationId)) === count);
  await refusal(1);
  advance(exportPolicy.keepMs - 60_000);
  await refusal(2);
  await store(integrationId, run(2, { updated_at: at(exportPolicy.keepMs / 1000) }));
  advance(60_000 + exportPolicy.maxBackOffMs);
  target.answerWith(undefined);
  await waitUntil('the newer run', () => target.accepted.length > 0);
  assert.deepEqual(runsAt(target), [2]);
  const [line] = await entries(integrationId);
  assert.deepEqual(line, {
    type: 'trace_export.dropped',
    title: '1 run was not exported: the target refused requests for too long',
  });
});

test('a run that a target refuses for its content is dropped alone', async (t) => {
  const target = targets.newTarget();
  const integrationId = await integrationTo(target.url);
  await start(t);
  await store(integrationId, run(1));
  settle();
  await waitUntil('a run that is accepted', async () => (await waiting(integrationId)) === 0);
  advance(1);
  target.answerWith((response: ServerResponse, spans) => {
    const isPoison = spans.some(({ resource }) => resource['cicd.pipeline.run.id'] === '7');
    response.writeHead(isPoison ? 400 : 200).end();
  });
  for (let runId = 2; runId <= 12; runId += 1) await store(integrationId, run(runId));
  settle();
  await waitUntil('the others', async () => (await waiting(integrationId)) === 0);
  assert.deepEqual(runsAt(target), [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12]);
  assert.deepEqual(await entries(integrationId), [
    {
      type: 'trace_export.dropped',
      title: '1 run was not exported: the target refused it with the status 400',
    },
  ]);
});

test('a run with more jobs than fit a request is exported in several, each job once', async (t) => {
  const target = targets.newTarget();
  const integrationId = await integrationTo(target.url);
  await start(t);
  const count = exportPolicy.jobsPerRequest + 20;
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  await store(integrationId, ...ids.map((id) => job(id, 1)));
  await store(integrationId, run(1), run(2));
  settle();
  await waitUntil('both runs', async () => (await waiting(integrationId)) === 0);
  assert.ok(target.requests.length > 1);
  const spanIds = target.accepted.map(({ spanId }) => spanId);
  assert.equal(new Set(spanIds).size, spanIds.length);
  assert.equal(spanIds.length, 2 + 2 * count);
  assert.deepEqual(runsAt(target), [1, 2]);
});

test('several processes export a run once', async (t) => {
  const target = targets.newTarget();
  const integrationId = await integrationTo(target.url);
  await Promise.all([start(t), start(t), start(t)]);
  for (const runId of [1, 2, 3]) await store(integrationId, run(runId));
  settle();
  await waitUntil('all runs', async () => (await waiting(integrationId)) === 0);
  assert.deepEqual(runsAt(target), [1, 2, 3]);
});

test('an integration without an export, and a run that ended long ago, wait for nothing', async (t) => {
  const target = targets.newTarget();
  const [without, exported] = [await integrationTo(undefined), await integrationTo(target.url)];
  await start(t);
  await store(without, run(1), job(1, 1));
  advance(exportPolicy.keepMs + 1);
  await store(exported, run(1), job(1, 1));
  assert.deepEqual([await waiting(without), await waiting(exported)], [0, 0]);
});
