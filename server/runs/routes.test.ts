import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Problem } from '#contract/base/errors.ts';
import { Metrics } from '#contract/metrics/metrics.ts';
import { WorkflowRunDetail, WorkflowRunPage } from '#contract/runs/runs.ts';
import { Overview } from '#contract/metrics/overview.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import { jobPayload, parsedEvent, runPayload } from '#test/support/data/forge-events.ts';
import { signInAsDemo } from '#test/support/identity/demo-sign-in.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { Compile } from 'typebox/compile';
import { recordEvents } from '#server/events/record-events.ts';
import { addPerson } from '#test/support/team/people.ts';

const program = await startTestProgram({}, ['api']);
const { database, sealer, publicUrl } = program;
const browser = await signInAsDemo(publicUrl);
const { integrationId } = await program.createIntegration();
const strangerId = await addPerson(database);
const foreign = await createIntegration(
  { db: database.api, sealer },
  { label: 'Theirs', ownerId: strangerId },
);

before(async () => {
  const events = [
    { eventType: 'workflow_run', payload: runPayload({ display_title: 'Hello' }) },
    { eventType: 'workflow_job', payload: jobPayload() },
    { eventType: 'workflow_run', payload: runPayload({ id: 102, created_at: '9999-12-31T23:59:59-23:59' }) },
  ] as const;
  const parsed = events.map((event) => parsedEvent({ ...event, integrationId }));
  await database.worker.withScope({ integrationId }, (tx) => recordEvents(tx, parsed));
});

function get(path: string, by: Pick<typeof browser, 'fetch'> = browser): Promise<Response> {
  return by.fetch(`${publicUrl}/api/integrations/${path}`);
}

async function refused(
  path: string,
  status: number,
  code: string,
  field?: string,
  by?: Pick<typeof browser, 'fetch'>,
): Promise<void> {
  const answer = await get(path, by);
  const problem = (await answer.json()) as Problem;
  assert.deepEqual([answer.status, problem.code], [status, code]);
  if (field !== undefined) assert.equal(problem.errors?.[0]?.field, field);
}

test('a viewer gets a page of runs with the stream position, valid against its schema', async () => {
  const answer = await get(`${integrationId}/workflows?limit=1&q=hello`);
  assert.equal(answer.status, 200);
  const page = (await answer.json()) as WorkflowRunPage;
  assert.ok(Compile(WorkflowRunPage).Check(page));
  assert.deepEqual(
    page.items.map(({ runId }) => runId),
    [100],
  );
  assert.match(page.stream.epoch, /./);
});

test('the list works with a run whose time is past the year 9999', async () => {
  const page = (await (await get(`${integrationId}/workflows`)).json()) as WorkflowRunPage;
  assert.ok(Compile(WorkflowRunPage).Check(page));
  assert.deepEqual(page.items.map(({ runId }) => runId).toSorted(), [100, 102]);
});

test('a viewer gets the detail of a run, valid against its schema', async () => {
  const answer = await get(`${integrationId}/workflows/100`);
  assert.equal(answer.status, 200);
  const detail = (await answer.json()) as WorkflowRunDetail;
  assert.ok(Compile(WorkflowRunDetail).Check(detail));
  assert.deepEqual([detail.run.title, detail.jobs.length, detail.attempts.length], ['Hello', 1, 1]);
});

test('a viewer gets overview and metrics, valid against their schemas', async () => {
  for (const query of ['', '?range=90d']) {
    const answer = await get(`${integrationId}/overview${query}`);
    assert.ok(Compile(Overview).Check(await answer.json()));
  }
  for (const query of ['', '?groupBy=workflow&granularity=hour', '?branch=default&runner=linux']) {
    const answer = await get(`${integrationId}/metrics${query}`);
    assert.ok(Compile(Metrics).Check(await answer.json()));
  }
  await refused(`${integrationId}/overview?range=1y`, 400, 'invalid_request', 'range');
  await refused(`${integrationId}/metrics?from=2000-01-01T00:00:00Z`, 400, 'invalid_request', 'from');
});

for (const path of ['workflows', 'workflows/facets', 'workflows/100', 'overview', 'metrics']) {
  test(`${path}: nobody signed in is 401, not a member is 403`, async () => {
    await refused(`${integrationId}/${path}`, 401, 'unauthenticated', undefined, { fetch });
    await refused(`${foreign.integrationId}/${path}`, 403, 'insufficient_role');
    await refused(`33333333-3333-4333-8333-333333333333/${path}`, 403, 'insufficient_role');
  });
}

test('an invalid query gets 400 with the field, a missing run gets 404', async () => {
  for (const [query, field] of [
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=nonsense', 'cursor'],
    ['surprise=1', 'surprise'],
    ['pullRequest=0', 'pullRequest'],
    ['pullRequest=1e300', 'pullRequest'],
    ['from=yesterday', 'from'],
  ])
    await refused(`${integrationId}/workflows?${query}`, 400, 'invalid_request', field);
  await refused(`${integrationId}/workflows/x`, 400, 'invalid_request', 'runId');
  await refused(`${integrationId}/workflows/101`, 404, 'not_found');
});
