import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRows } from '#test/support/database/rows.ts';
import { run } from '#test/support/traces/finished-events.ts';
import { setUpTraceExporter } from '#test/support/traces/trace-exporter.ts';
import type { TraceTarget } from '#test/support/traces/trace-target.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { exportPolicy } from '../policy.ts';

const { database, targets, advance, start, integrationTo, store, entries, exportOf, failuresOf } =
  await setUpTraceExporter();

/** The counter of runs in each request. */
const runsAt = ({ metricRequests }: TraceTarget): number[] =>
  metricRequests.map(({ metrics }) => {
    const runs = metrics.find(({ name }) => name === 'forgewatch.pipeline.runs');
    return runs?.points.reduce((sum, { value }) => sum + value, 0) ?? Number.NaN;
  });

const failures = (integrationId: string) => failuresOf(integrationId, 'metrics_failures');

test('metrics are sent at once and then every minute, as counters that began with their integration', async (t) => {
  const target = targets.newTarget();
  const integrationId = await integrationTo(target.url, { metrics: true });
  await store(integrationId, run(1));
  await start(t);
  await waitUntil(
    'the first metrics',
    async () => (await exportOf(integrationId))?.metrics?.lastSuccessAt ?? undefined,
  );
  await store(integrationId, run(2), run(3));
  advance(exportPolicy.metricsEveryMs);
  await waitUntil('the next metrics', () => target.metricRequests.length === 2);
  assert.deepEqual(runsAt(target), [1, 3]);
  const created = { integration_id: integrationId };
  const [row] = await readRows<{ created_at: Date }>(database, 'integrations', created);
  for (const { metrics } of target.metricRequests)
    for (const { resource, points } of metrics) {
      assert.deepEqual(resource, { 'service.name': 'forgewatch', 'service.instance.id': integrationId });
      for (const { startMs } of points) assert.equal(startMs, row!.created_at.getTime());
    }
});

test('metrics that a target hangs on, redirects or refuses delay no traces and no other target, and are in the event log', async (t) => {
  const [hangs, redirects, refuses, good] = Array.from({ length: 4 }, () => targets.newTarget()) as [
    TraceTarget,
    TraceTarget,
    TraceTarget,
    TraceTarget,
  ];
  hangs.answerMetricsWith(() => {});
  redirects.answerMetricsWith((response) =>
    response.writeHead(307, { location: 'http://10.0.0.1/v1/metrics' }).end(),
  );
  refuses.answerMetricsWith((response) => response.writeHead(404).end());
  const failing = [hangs, redirects, refuses];
  const bad: string[] = [];
  for (const { url } of failing) bad.push(await integrationTo(url, { metrics: true }));
  const other = await integrationTo(good.url, { metrics: true });
  for (const integrationId of [...bad, other]) await store(integrationId, run(1));
  await start(t);
  await waitUntil('the good target', () => good.metricRequests.length > 0);
  for (const integrationId of [...bad, other]) await store(integrationId, run(2));
  advance(exportPolicy.settleMs);
  for (const target of [...failing, good]) await waitUntil('the traces', () => target.accepted.length > 0);
  for (const wanted of [1, 2, 3]) {
    await waitUntil(`${wanted} failures`, async () =>
      (await Promise.all(bad.map(failures))).every((count) => count >= wanted),
    );
    advance(exportPolicy.maxBackOffMs);
  }
  const prefix = `Metrics cannot be exported to 127.0.0.1:${targets.port}: `;
  const titles = (await Promise.all(bad.map(entries))).map((lines) => lines.map(({ title }) => title));
  assert.deepEqual(titles, [
    [`${prefix}The URL did not answer in time.`],
    [`${prefix}The target answered 307. Redirects are not followed: enter the final URL.`],
    [`${prefix}The target answered 404.`],
  ]);
  for (const target of failing) target.answerMetricsWith(undefined);
  await waitUntil('all to recover', async () => {
    // A request that still hung then waits for its next time.
    advance(exportPolicy.maxBackOffMs);
    return (await Promise.all(bad.map(failures))).every((count) => count === 0);
  });
  const types = (await Promise.all(bad.map(entries))).map((lines) => lines.map(({ type }) => type));
  for (const each of types) assert.deepEqual(each, ['trace_export.failing', 'trace_export.recovered']);
});

test('a target that answers metrics with 429 for a day is asked as often as it wants, and its counters miss nothing', async (t) => {
  const target = targets.newTarget();
  const integrationId = await integrationTo(target.url, { metrics: true });
  target.answerMetricsWith((response) => response.writeHead(429, { 'retry-after': '1800' }).end());
  await start(t);
  for (let hour = 1; hour <= 24; hour += 1) {
    await waitUntil('the answer to be stored', async () => (await failures(integrationId)) === hour);
    await store(integrationId, run(hour));
    advance(3_600_000);
  }
  await waitUntil('the last answer', async () => (await failures(integrationId)) === 25);
  target.answerMetricsWith(undefined);
  advance(3_600_000);
  await waitUntil('metrics that are accepted', async () => (await failures(integrationId)) === 0);
  assert.equal(target.metricRequests.length, 26);
  assert.equal(runsAt(target).at(-1), 24);
});
