import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job, run } from '#test/support/traces/finished-events.ts';
import { setUpTraceExporter } from '#test/support/traces/trace-exporter.ts';
import { waitingSessions } from '#test/support/database/waiting-sessions.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { exportPolicy } from '../policy.ts';
import { jobSpanId, runSpanId, traceIdOf } from '../traces/trace-ids.ts';

const { database, targets, advance, start, integrationTo, store, storeSlowly, exportOf, waiting } =
  await setUpTraceExporter({ requestMs: 60_000 });

const settle = (): void => advance(exportPolicy.settleMs);

test('a job that completes after its run was sent makes it be sent again, into the same trace', async (t) => {
  const target = targets.newTarget();
  const integrationId = await integrationTo(target.url);
  await start(t);
  await store(integrationId, run(100), job(1, 100, { status: 'in_progress', completed_at: null }));
  settle();
  advance(exportPolicy.awaitJobsMs);
  await waitUntil('the run', () => target.accepted.length === 1);
  await waitUntil('it to be forgotten', async () => (await waiting(integrationId)) === 0);
  await store(integrationId, job(1, 100));
  settle();
  await waitUntil('the job', () => target.accepted.length === 4);
  const [first, again, late] = target.accepted;
  assert.deepEqual([again!.traceId, again!.spanId], [first!.traceId, first!.spanId]);
  assert.deepEqual(
    [late!.traceId, late!.spanId, late!.parentSpanId],
    [traceIdOf(100, 1), jobSpanId(1), runSpanId(100, 1)],
  );
});

test('a job that is being stored while the export of its run ends is sent too', async (t) => {
  const target = targets.newTarget();
  const integrationId = await integrationTo(target.url);
  await start(t);
  await store(integrationId, run(100), job(1, 100, { status: 'in_progress', completed_at: null }));
  let answer = (): void => {};
  target.answerWith((response) => void (answer = () => response.writeHead(200).end()));
  advance(exportPolicy.settleMs + exportPolicy.awaitJobsMs);
  await waitUntil('the request', () => target.requests.length === 1);
  target.answerWith(undefined);
  await storeSlowly(integrationId, [job(1, 100)], async () => {
    answer();
    await waitUntil('the end of the export to wait for the job, or to be stored', async () => {
      const isStored = (await exportOf(integrationId))?.lastSuccessAt !== null;
      return isStored || (await waitingSessions(database)) > 0;
    });
  });
  advance(exportPolicy.settleMs);
  await waitUntil('the job', () => target.accepted.length === 4);
  assert.deepEqual(
    target.accepted.map(({ name }) => name),
    ['CI', 'CI', 'build', 'queue-build'],
  );
  await waitUntil('nothing to wait', async () => (await waiting(integrationId)) === 0);
});

test('a job of a large run that completes while a part of it is being sent is sent too', async (t) => {
  const target = targets.newTarget();
  const integrationId = await integrationTo(target.url);
  await start(t);
  const count = exportPolicy.jobsPerRequest + 20;
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const running = { status: 'in_progress', completed_at: null };
  await store(integrationId, ...ids.map((id) => job(id, 1, id === 3 || id === 4 ? running : {})), run(1));
  const answers: (() => void)[] = [];
  target.answerWith((response) => void answers.push(() => response.writeHead(200).end()));
  advance(exportPolicy.settleMs + exportPolicy.awaitJobsMs);
  await waitUntil('the first part', () => answers.length === 1);
  await store(integrationId, job(3, 1));
  answers[0]!();
  await waitUntil('the first part to be stored', async () => (await exportOf(integrationId))?.lastSuccessAt);
  settle();
  await waitUntil('the first part again', () => answers.length === 2);
  await store(integrationId, job(4, 1));
  answers[1]!();
  target.answerWith(undefined);
  advance(exportPolicy.settleMs);
  await waitUntil('all to be sent', async () => (await waiting(integrationId)) === 0);
  const jobs = target.accepted.filter(({ parentSpanId }) => parentSpanId === runSpanId(1, 1));
  assert.deepEqual(
    [...new Set(jobs.map(({ spanId }) => spanId))].toSorted(),
    ids.map((id) => jobSpanId(id)).toSorted(),
  );
});
