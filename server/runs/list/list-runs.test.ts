import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { WorkflowRunQuery } from '#contract/runs/runs.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import {
  at,
  eventOf,
  integrationId,
  pullRequestPayload,
  runPayload,
} from '#test/support/data/forge-events.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { facetsOfRuns } from './count-facets.ts';
import { listRuns } from './list-runs.ts';
import { parseEvent, type MonitoringEvent } from '#server/events/parsing/parse-event.ts';
import { readObjects } from '../read-objects.ts';
import { recordEvents } from '#server/events/record-events.ts';

const database = await createTestDatabase();

/** Ids identify the cases. Two runs were created in the same second. */
const runs = [
  {
    id: 1,
    created_at: at(10),
    name: 'CI',
    path: '.github/workflows/ci.yml',
    head_branch: 'main',
    event: 'push',
  },
  { id: 2, created_at: at(20), name: 'CI', head_branch: 'topic', status: 'completed', conclusion: 'failure' },
  { id: 3, created_at: at(20), name: 'Deploy', actor: { login: 'ann' }, triggering_actor: { login: 'bob' } },
  {
    id: 4,
    created_at: at(30),
    display_title: 'Fix 100% of_the\\bugs',
    run_number: 77,
    pull_requests: [{ number: 5 }],
  },
  { id: 5, created_at: at(40), display_title: 'fix nothing', head_sha: 'abc', run_number: 5 },
];

before(async () => {
  const events = runs.map((run) => eventOf('workflow_run', runPayload(run)));
  const elsewhere = eventOf(
    'workflow_run',
    runPayload({ id: 6, created_at: at(50) }, { repository: { full_name: 'acme/api' } }),
  );
  const pull = eventOf('pull_request', pullRequestPayload({ number: 8, head: { sha: 'abc' } }));
  await database.worker.withScope({ integrationId }, (tx) => recordEvents(tx, [...events, elsewhere, pull]));
});

function list(query: WorkflowRunQuery = {}, integration = integrationId, scanLimit?: number) {
  return database.api.withScope({ integrationId: integration }, (tx) =>
    listRuns(tx, integration, query, scanLimit),
  );
}

async function ids(query: WorkflowRunQuery): Promise<number[]> {
  return (await list(query)).items.map(({ runId }) => runId);
}

test('the list contains the runs of the integration, newest first, then by id', async () => {
  assert.deepEqual(await ids({}), [6, 5, 4, 3, 2, 1]);
  assert.deepEqual((await list({}, '22222222-2222-4222-8222-222222222222')).items, []);
});

test('pages of any size contain every run once, in order', async () => {
  for (const limit of [1, 2, 3, 5, 6, 100]) {
    const seen: number[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await list({ limit, ...(cursor ? { cursor } : {}) });
      seen.push(...page.items.map(({ runId }) => runId));
      cursor = page.nextCursor;
    } while (cursor !== null);
    assert.deepEqual(seen, [6, 5, 4, 3, 2, 1], `limit ${limit}`);
  }
});

test('the next page follows a run with any creation time that a forge may send', async () => {
  const other = '33333333-3333-4333-8333-333333333333';
  const times = ['9999-12-31T23:59:59Z', at(0), '0001-01-01T00:00:00Z'];
  const events = times.map((time, index): MonitoringEvent => {
    const payload = runPayload({ id: index + 1, created_at: time, updated_at: time });
    // A delivery before 1970: its time counts when the payload has no time.
    const deliveryId = '00000000-0000-1000-8000-000000000000';
    const event = {
      eventType: 'workflow_run',
      integrationId: other,
      deliveryId,
      receivedAt: 0,
      payload,
    } as const;
    const result = parseEvent(event);
    assert.ok(result.ok);
    return result.event;
  });
  await database.worker.withScope({ integrationId: other }, (tx) => recordEvents(tx, events));
  const seen: number[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: Awaited<ReturnType<typeof list>> = await list({ limit: 1, ...(cursor && { cursor }) }, other);
    seen.push(...page.items.map(({ runId }) => runId));
    cursor = page.nextCursor;
  }
  assert.deepEqual(seen, [1, 2, 3]);
});

const filters: [WorkflowRunQuery, number[]][] = [
  [{ repository: 'acme/api' }, [6]],
  [{ repository: 'acme/api,acme/site' }, [6, 5, 4, 3, 2, 1]],
  [{ repository: 'acme/site' }, [5, 4, 3, 2, 1]],
  [{ workflow: 'CI' }, [2, 1]],
  [{ workflow: 'CI,Deploy' }, [3, 2, 1]],
  [{ repository: 'acme/site', workflow: 'Deploy' }, [3]],
  [{ repository: 'acme/api', workflow: 'Deploy' }, []],
  [{ repository: 'acme/site', workflow: '.github/workflows/ci.yml' }, [1]],
  [{ branch: 'topic,main' }, [2, 1]],
  [{ branch: 'topic', conclusion: 'failure' }, [2]],
  [{ branch: 'topic', conclusion: 'success' }, []],
  [{ status: 'queued' }, [6, 5, 4, 3, 1]],
  [{ status: 'queued,completed' }, [6, 5, 4, 3, 2, 1]],
  [{ actor: ',' }, []],
  [{ workflow: '.github/workflows/ci.yml' }, [1]],
  [{ branch: 'topic' }, [2]],
  [{ status: 'completed' }, [2]],
  [{ conclusion: 'failure' }, [2]],
  [{ actor: 'ann' }, [3]],
  [{ actor: 'bob' }, [3]],
  [{ event: 'push' }, [1]],
  [{ pullRequest: 5 }, [4]],
  [{ pullRequest: 8 }, [5]],
  [{ pullRequest: Number.MAX_SAFE_INTEGER }, []],
  [{ from: at(20), to: at(40) }, [4, 3, 2]],
  [{ from: '0000-01-01T00:00:00Z', to: at(11) }, [1]],
  [{ q: 'FIX' }, [5, 4]],
  [{ q: '100% of_the\\' }, [4]],
  [{ q: 'nothing fix' }, [5]],
  [{ q: '#77' }, [4]],
  [{ q: '5' }, [5, 4]],
  [{ q: '"5"' }, []],
  [{ q: '3' }, [3]],
  [{ q: 'https://forge.example/acme/site/pull/8/files' }, [5]],
  [{ q: 'https://forge.example/acme/site/actions/runs/3?pr=9' }, [3]],
  [{ q: 'topic bob' }, []],
  [{ q: 'bob' }, [3]],
  [{ status: 'failure,in_progress' }, [2]],
  [{ status: 'failure,queued', conclusion: 'failure' }, [2]],
  [{ q: 'x%y' }, []],
  [{ q: '\0' }, []],
  [{ branch: '\0' }, []],
  [{ repository: 'acme/site', workflow: 'CI', branch: 'main' }, [1]],
];

for (const [query, expected] of filters) {
  test(`filter ${JSON.stringify(query)}`, async () => assert.deepEqual(await ids(query), expected));
}

test('a filter with few matches scans a bounded number of runs per page and finds every run once', async () => {
  for (const [query, expected] of filters) {
    for (const scanLimit of [1, 2, 4]) {
      const seen: number[] = [];
      let cursor: string | null = null;
      let pages = 0;
      do {
        const page: Awaited<ReturnType<typeof list>> = await list(
          { ...query, limit: 1, ...(cursor === null ? {} : { cursor }) },
          integrationId,
          scanLimit,
        );
        seen.push(...page.items.map(({ runId }) => runId));
        cursor = page.nextCursor;
        pages += 1;
      } while (cursor !== null);
      assert.deepEqual(seen, expected, `${JSON.stringify(query)}, ${scanLimit} at once`);
      assert.ok(pages <= 8);
    }
  }
});

test('facets count the newest runs by value, and a facet ignores its own filter', async () => {
  const facets = (query: WorkflowRunQuery, scanLimit?: number) =>
    database.api.withScope({ integrationId }, (tx) => facetsOfRuns(tx, integrationId, query, scanLimit));
  const all = await facets({});
  assert.deepEqual([all.counted, all.complete], [6, true]);
  assert.deepEqual(all.facets.repository, [
    { value: 'acme/site', count: 5 },
    { value: 'acme/api', count: 1 },
  ]);
  assert.deepEqual(all.facets.conclusion, [{ value: 'failure', count: 1 }]);
  const some = await facets({ workflow: 'CI', branch: 'topic' });
  assert.deepEqual(some.facets.workflow, [{ value: 'CI', count: 1 }]);
  assert.deepEqual(some.facets.branch, [
    { value: 'main', count: 1 },
    { value: 'topic', count: 1 },
  ]);
  assert.deepEqual(some.facets.status, [{ value: 'completed', count: 1 }]);
  const newest = await facets({ to: at(50) }, 2);
  assert.deepEqual([newest.counted, newest.complete], [2, false]);
  assert.deepEqual(newest.facets.repository, [{ value: 'acme/site', count: 2 }]);
});

test('the list refuses an invalid cursor and names the field', async () => {
  const huge = Buffer.from('99999999999999999999 1').toString('base64url');
  for (const cursor of ['', 'x', 'MSAx=', huge, Buffer.from("1 1' or true").toString('base64url')]) {
    await assert.rejects(list({ cursor }), (error: unknown) => {
      assert.ok(error instanceof AppError);
      assert.deepEqual([error.code, error.errors?.[0]?.field], ['invalid_request', 'cursor']);
      return true;
    });
  }
});

test('the list, an update and a catch-up contain the same run object', async () => {
  const event = eventOf(
    'workflow_run',
    runPayload({ ...runs[3], status: 'in_progress', updated_at: at(60) }),
  );
  const [recorded] = await database.worker.withScope({ integrationId }, (tx) => recordEvents(tx, [event]));
  assert.ok(recorded?.outcome === 'stored');
  const item = (await list({ q: '#77' })).items[0];
  assert.deepEqual(recorded.updates[0]?.data, item);
  const pointer = { type: 'workflow_run', integrationId, runId: 4, attempt: 1, jobId: null } as const;
  const read = await database.api.withScope({ integrationId }, (tx) =>
    readObjects(tx, [{ ...pointer, runId: 99 }, pointer]),
  );
  assert.deepEqual(read, [undefined, item]);
});
