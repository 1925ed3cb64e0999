import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import { matchesFilter, orderOf, type RunFilter } from '#contract/runs/run-filter.ts';
import { joinValues, only } from '#contract/base/value-list.ts';
import { parseEvent, type MonitoringEvent } from '#server/events/parsing/parse-event.ts';
import { recordEvents } from '#server/events/record-events.ts';
import { at, pullRequestPayload, runPayload } from '#test/support/data/forge-events.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { listRuns } from './list-runs.ts';

const database = await createTestDatabase();

/** Letters whose case has no simple rule, wildcards of LIKE, spaces, and what a text column cannot store. */
const piece = fc.constantFrom(
  ...'aAbäÄßẞİIıiΣσςǅﬁΩ\u2126\u{10400}\u{10428}\u{1F600}',
  ..."%_\\'#57 \u00A0\u2003\u0085\uFEFF\t\0",
  'a\u0308',
  'SS',
  '77',
  '\uD83D',
);
const phrase = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''));
const name = fc.constantFrom('ci', 'CI', 'a,b', 'a\\b', 'ä', 'a\u0308', 'x\0', 'x\uD800', '%', 'ci.yml');
/** A workflow keeps its name: the rows of a renamed one match what is shown, which only the server knows. */
const workflow = fc.oneof(
  name.map((name) => ({ name, path: null })),
  fc.constantFrom(
    { name: 'ci', path: '.github/workflows/ci.yml' },
    { name: 'ä', path: 'ci.yml' },
    { name: null, path: '.github/workflows/unnamed.yml' },
    { name: null, path: null },
  ),
);
const workflowPath = fc.constantFrom('.github/workflows/ci.yml', 'ci.yml', '.github/workflows/unnamed.yml');
const status = fc.constantFrom('queued', 'in_progress', 'completed', 'new');
const repository = fc.constantFrom('acme/site', 'acme/Site', 'acme/api');
const sha = fc.constantFrom('abc', 'def', '0c5e1a7b', '0c5e1a7f', '1234567');
const time = fc.integer({ min: -2, max: 2 }).map((ms) => new Date(Date.parse(at(0)) + ms).toISOString());

const arbitraryRun = fc.record({
  repository,
  run_number: fc.option(fc.constantFrom(5, 77)),
  workflow,
  display_title: fc.option(phrase),
  status,
  conclusion: fc.option(fc.constantFrom('success', 'failure')),
  head_branch: fc.option(name),
  head_sha: fc.option(sha),
  event: fc.option(fc.constantFrom('push', 'Push')),
  actor: fc.option(name.map((login) => ({ login }))),
  triggering_actor: fc.option(name.map((login) => ({ login }))),
  created_at: time,
  updated_at: time,
  run_attempt: fc.constantFrom(1, 1, 2),
  pull_requests: fc.subarray([{ number: 5 }, { number: 6 }]),
});

type RunFields = typeof arbitraryRun extends fc.Arbitrary<infer Fields> ? Fields : never;

const values = (value: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.array(value, { minLength: 1, maxLength: 3 }).map(joinValues) },
    { weight: 1, arbitrary: fc.constantFrom(',', '\\', 'ci\\', ',ci') },
  );

/** A time in each form that a request accepts. */
const timeInput = fc
  .tuple(time, fc.constantFrom('utc', 'zone', 'lower', 'micros', 'first'))
  .map(([iso, form]): string => {
    if (form === 'zone') return `${new Date(Date.parse(iso) + 3_600_000).toISOString().slice(0, -1)}+01:00`;
    if (form === 'lower') return iso.replace('T', 't');
    if (form === 'micros') return iso.replace('Z', '999Z');
    return form === 'first' ? '1970-01-01T00:00:00Z' : iso;
  });

const filter: fc.Arbitrary<RunFilter> = fc.record(
  {
    repository: values(repository),
    workflow: values(fc.oneof(name, workflowPath)),
    branch: values(name),
    status: values(status),
    conclusion: values(fc.constantFrom('success', 'failure', 'Success')),
    actor: values(name),
    event: values(fc.constantFrom('push', 'Push')),
    pullRequest: fc.constantFrom(5, 6, 8),
    from: timeInput,
    to: timeInput,
    completedFrom: timeInput,
    completedTo: timeInput,
    attempt: fc.constantFrom('first', 'later'),
    q: fc.oneof(
      phrase,
      // A space at the end would match where the server adds the texts of jobs.
      phrase.map((text) => `"${text.trim()}"`),
      fc.constantFrom('#5', ' 77 ', '# 5', '٥', '0005', '"5"', '0c5e1a7', '0C5E1A7F', '1234567', 'x/runs/5'),
      fc.constantFrom(
        'https://x/runs/5',
        'http://x/y/pull/5?a',
        'https://x/commit/0c5e1a7',
        'ci main',
        'SS "a',
      ),
    ),
  },
  { requiredKeys: [] },
);

/** A few conditions, so that many filters match some run. */
const fewConditions = filter.chain((all) => {
  const names = Object.keys(all) as (keyof RunFilter)[];
  return fc
    .subarray(names, { maxLength: Math.min(3, names.length) })
    .map((some): RunFilter => Object.fromEntries(some.map((each) => [each, all[each]])));
});

/** Filters that the list reads through the index of workflows. */
const oneWorkflow = fc.record({
  repository: repository.map(only),
  workflow: fc.oneof(workflowPath, name).map(only),
});

const anyFilter: fc.Arbitrary<RunFilter> = fc.oneof(
  { weight: 4, arbitrary: fewConditions },
  { weight: 1, arbitrary: oneWorkflow },
);

function eventOf(
  integrationId: string,
  eventType: 'workflow_run' | 'pull_request',
  payload: unknown,
): MonitoringEvent {
  const received = { eventType, integrationId, deliveryId: null, receivedAt: Date.parse(at(0)), payload };
  const parsed = parseEvent(received);
  assert.ok(parsed.ok);
  return parsed.event;
}

/**
 * A fork's run names no pull request, so only the server knows that it belongs to pull request 8 of acme/site. A search for
 * another pull request does not find it.
 */
function belongsTo8(found: WorkflowRun, { pullRequest, ...others }: RunFilter): boolean {
  const isOf8 = pullRequest === 8 && found.repository === 'acme/site' && found.headSha === 'abc';
  return isOf8 && matchesFilter(found, others) === true;
}

let matched = 0;

async function agree(runs: readonly RunFields[], filters: readonly RunFilter[]): Promise<void> {
  const integrationId = randomUUID();
  const events = runs.map(({ repository: full_name, workflow, ...fields }, index) =>
    eventOf(
      integrationId,
      'workflow_run',
      runPayload({ ...fields, ...workflow, id: index + 1 }, { repository: { full_name } }),
    ),
  );
  const pull = eventOf(
    integrationId,
    'pull_request',
    pullRequestPayload({ number: 8, head: { sha: 'abc' } }),
  );
  await database.worker.withScope({ integrationId }, (tx) => recordEvents(tx, [...events, pull]));
  await database.api.withScope({ integrationId }, async (tx) => {
    const all = await listRuns(tx, integrationId, { limit: 100 });
    assert.equal(all.items.length, runs.length);
    for (const each of filters) {
      const found = all.items.filter((run) => matchesFilter(run, each) ?? belongsTo8(run, each));
      const expected = orderOf(each) === 'createdAt' ? found : found.toSorted(byCompletion);
      const { items } = await listRuns(tx, integrationId, { ...each, limit: 100 });
      assert.deepEqual(idsOf(items), idsOf(expected), JSON.stringify(each));
      matched += items.length;
    }
  });
}

function byCompletion(a: WorkflowRun, b: WorkflowRun): number {
  return Date.parse(b.completedAt!) - Date.parse(a.completedAt!) || b.runId - a.runId;
}

function idsOf(runs: readonly WorkflowRun[]): number[] {
  return runs.map(({ runId }) => runId);
}

test('a filter matches the same runs in SQL and in the browser', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryRun, { minLength: 20, maxLength: 20 }),
      fc.array(anyFilter, { minLength: 20, maxLength: 20 }),
      (runs, filters) => agree(runs, filters),
    ),
    { numRuns: 20 },
  );
  assert.ok(matched > 1000, `only ${matched} matches`);
});
