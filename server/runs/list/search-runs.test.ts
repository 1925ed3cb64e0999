import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { WorkflowRunQuery } from '#contract/runs/runs.ts';
import { recordEvents } from '#server/events/record-events.ts';
import { eventOf, integrationId, pullRequestPayload, runPayload } from '#test/support/data/forge-events.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { countRuns, listRuns } from './list-runs.ts';

const database = await createTestDatabase();

/** Ids identify the cases; all runs are of one second. */
const runs = [
  { id: 1, head_branch: 'topic/exports', actor: { login: 'Mira' }, display_title: 'Keep exports small' },
  { id: 2, head_sha: '0c5e1a7bd4' },
  { id: 3, head_sha: '0c5e1a7f00' },
  { id: 4, head_sha: '1234567abc', pull_requests: [{ number: 40 }] },
  { id: 5, run_number: 40, display_title: 'Wait for 412 rows' },
  { id: 40, pull_requests: [{ number: 39 }, { number: 41 }] },
  { id: 412, head_sha: 'fork' },
  { id: 1_234_567, triggering_actor: { login: 'mira' } },
];

before(async () => {
  const events = runs.map((run) => eventOf('workflow_run', runPayload(run)));
  const pull = eventOf('pull_request', pullRequestPayload({ number: 99, head: { sha: 'fork' } }));
  await database.worker.withScope({ integrationId }, (tx) => recordEvents(tx, [...events, pull]));
});

function find(query: WorkflowRunQuery, scanLimit?: number): Promise<number[]> {
  return database.api.withScope({ integrationId }, async (tx) => {
    const { items } = await listRuns(tx, integrationId, query, scanLimit);
    return items.map(({ runId }) => runId).toSorted((a, b) => a - b);
  });
}

for (const [q, expected] of [
  ['0c5e1a7', [2, 3]],
  [' 0C5E1A7B ', [2]],
  ['0c5e1a8', []],
  ['0c5e1a', []],
  ['1234567', [4, 1_234_567]],
  ['#1234567', [1_234_567]],
  ['40', [4, 5, 40]],
  ['#41', [40]],
  ['39', [40]],
  ['#99', [412]],
  ['412', [412]],
  ['"412"', [5]],
  ['wait 412', [5]],
  ['"for 412 rows"', [5]],
  ['"412 for"', []],
  ['"', []],
  ['mira', [1, 1_234_567]],
  ['TOPIC/exp mira', [1]],
  ['https://forge.example/acme/site/pull/99/files', [412]],
  ['https://forge.example/acme/site/pulls/41', [40]],
  ['https://forge.example/acme/site/actions/runs/412?pr=1', [412]],
  ['https://forge.example/acme/site/commit/1234567abc#diff', [4]],
  ['https://forge.example/acme/site/commits/main', []],
] as const)
  test(`the search for ${q} finds ${expected.length} runs`, async () => {
    assert.deepEqual(await find({ q }), expected);
  });

test('the filter by a pull request finds runs that name several, and runs of forks', async () => {
  assert.deepEqual(await find({ pullRequest: 41 }), [40]);
  assert.deepEqual(await find({ pullRequest: 40 }), [4]);
  assert.deepEqual(await find({ pullRequest: 99 }), [412]);
});

test('pages of a search that reads several indexes contain every run once', async () => {
  for (const limit of [1, 2]) {
    const seen: number[] = [];
    await database.api.withScope({ integrationId }, async (tx) => {
      let cursor: string | null | undefined;
      for (let pages = 0; cursor !== null; pages += 1) {
        const query = { q: '40', limit, ...(cursor && { cursor }) };
        const page: Awaited<ReturnType<typeof listRuns>> = await listRuns(tx, integrationId, query, 1);
        seen.push(...page.items.map(({ runId }) => runId));
        cursor = page.nextCursor;
        assert.ok(pages < 9);
      }
    });
    assert.deepEqual(seen, [40, 5, 4]);
  }
});

test('the count says whether it is complete', async () => {
  const count = (query: WorkflowRunQuery, scanLimit?: number) =>
    database.api.withScope({ integrationId }, (tx) => countRuns(tx, integrationId, query, scanLimit));
  assert.deepEqual(await count({}), { count: 8, isComplete: true });
  assert.deepEqual(await count({ q: 'mira' }), { count: 2, isComplete: true });
  assert.deepEqual(await count({}, 5), { count: 5, isComplete: false });
});
