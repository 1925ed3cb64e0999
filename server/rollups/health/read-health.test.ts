import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { Health, type HealthQuery } from '#contract/metrics/health.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import {
  at,
  epoch,
  eventOf,
  integrationId,
  pullRequestPayload,
  repositoryOf,
  runPayload,
} from '#test/support/data/forge-events.ts';
import { createMonitoringStore } from '#test/support/data/reading/monitoring-store.ts';
import { DashboardCache } from '#server/rollups/dashboards/dashboard-cache.ts';
import { readHealth } from './read-health.ts';

const { database, record, empty } = await createMonitoringStore();
const checkHealth = Compile(Health);
const now = epoch + 6 * dayMs;

async function health(query: HealthQuery = {}, asOf = now): Promise<Health> {
  const answer = await database.api.withScope({ integrationId }, (tx) =>
    readHealth(tx, integrationId, query, asOf, new DashboardCache()),
  );
  assert.ok(checkHealth.Check(answer), JSON.stringify([...checkHealth.Errors(answer)]));
  return answer;
}

/** A run of the world: its attempts end one after another. Times are seconds after `epoch`. */
interface World {
  runs: {
    id: number;
    created: number;
    repository: string;
    workflow: string;
    branch: string;
    sha: string;
    message: string;
    attempts: { ended: number; conclusion: string }[];
  }[];
  merges: number[];
}

const spread = fc.record({
  created: fc.integer({ min: 0, max: 5 * 86_400 }),
  repository: fc.constantFrom('acme/site', 'acme/site', 'acme/api'),
  workflow: fc.constantFrom('CI', 'CI', 'Lint'),
  branch: fc.constantFrom('main', 'main', 'main', 'topic'),
});
/** Runs of one workflow that overlap, so that they end in another order than they began in. */
const dense = fc.record({
  created: fc.integer({ min: 86_400, max: 100_000 }),
  repository: fc.constant('acme/site'),
  workflow: fc.constant('CI'),
  branch: fc.constant('main'),
});
const outcome = fc.record({
  sha: fc.constantFrom('a', 'b', 'c', 'd').map((letter) => letter.repeat(40)),
  message: fc.constantFrom('Add it', 'Add it', 'Revert "Add it"', 'Merge pull request #1\n\nRevert "Add it"'),
  attempts: fc.array(
    fc.record({
      lasted: fc.integer({ min: 1, max: 90_000 }),
      conclusion: fc.constantFrom(
        'success',
        'success',
        'failure',
        'failure',
        'timed_out',
        'cancelled',
        'skipped',
      ),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});
const runs = fc.oneof(
  ...[spread, dense].map((place) => fc.array(fc.tuple(place, outcome), { minLength: 1, maxLength: 14 })),
);

const world: fc.Arbitrary<World> = fc
  .record({
    runs,
    merges: fc.array(fc.integer({ min: 0, max: 6 * 86_400 }), { maxLength: 5 }),
  })
  .map(({ runs: chosen, merges }) => {
    const taken = new Set<number>();
    // No two results at one time, so that one of them ended a period.
    const free = (second: number): number => {
      const one = taken.has(second) ? free(second + 1) : second;
      taken.add(one);
      return one;
    };
    return {
      merges,
      runs: chosen.map(([place, { attempts, ...rest }], index) => {
        let end = place.created;
        return {
          ...place,
          ...rest,
          id: index + 1,
          attempts: attempts.map(({ lasted, conclusion }) => {
            end = free(end + lasted);
            return { ended: end, conclusion };
          }),
        };
      }),
    };
  });

function eventsOf({ runs, merges }: World) {
  const ofRuns = runs.flatMap(({ id, created, repository, workflow, branch, sha, message, attempts }) =>
    attempts.map(({ ended, conclusion }, index) =>
      eventOf(
        'workflow_run',
        runPayload(
          {
            id,
            run_attempt: index + 1,
            name: workflow,
            status: 'completed',
            conclusion,
            head_branch: branch,
            head_sha: sha,
            head_commit: { message },
            created_at: at(created),
            updated_at: at(ended),
          },
          { repository: repositoryOf(repository) },
        ),
      ),
    ),
  );
  const ofMerges = merges.map((merged, index) =>
    eventOf(
      'pull_request',
      pullRequestPayload(
        {
          number: index + 1,
          state: 'closed',
          merged: true,
          merged_at: at(merged),
          updated_at: at(merged),
          base: { ref: 'main' },
        },
        { number: index + 1 },
      ),
    ),
  );
  return [...ofRuns, ...ofMerges];
}

/** The newest result of the newest run that has one at a time: what a person would look at. */
function stateAt({ runs }: World, repository: string, workflow: string, time: number) {
  const seen = runs
    .filter((each) => each.repository === repository && each.workflow === workflow && each.branch === 'main')
    .toSorted((a, b) => b.created - a.created || b.id - a.id);
  for (const each of seen) {
    const last = each.attempts
      .filter(({ ended, conclusion }) => ended <= time && /success|failure|timed_out/.test(conclusion))
      .at(-1);
    if (last !== undefined) return { run: each, isRed: last.conclusion !== 'success' };
  }
  return undefined;
}

/** Walks through the range from one completion to the next. */
function model(of: World, repository: string, from: number, to: number) {
  const states = (time: number) => ['CI', 'Lint'].map((name) => stateAt(of, repository, name, time));
  const ends = of.runs.flatMap(({ attempts }) => attempts.map(({ ended }) => ended));
  const times = [...new Set([-1, ...ends])].filter((time) => time < to).toSorted((a, b) => a - b);
  const redMs = { commit: 0, rerun: 0, revert: 0, open: 0 };
  const durations: number[] = [];
  let since: number | undefined;
  let before = states(-1);
  const add = (ending: keyof typeof redMs, until: number): void => {
    redMs[ending] += Math.max(0, until - Math.max(since ?? until, from)) * 1000;
  };
  for (const time of times) {
    const after = states(time);
    if (after.some((state) => state?.isRed)) since ??= time;
    else if (since !== undefined) {
      const place = before.findIndex((state) => state?.isRed);
      const [failed, passed] = [before[place]!.run, after[place]!.run];
      const ending =
        failed.sha === passed.sha ? 'rerun' : passed.message.includes('Revert "') ? 'revert' : 'commit';
      add(ending, time);
      if (time > from) durations.push((time - since) * 1000);
      since = undefined;
    }
    before = after;
  }
  if (since !== undefined) add('open', to);
  return { redMs, durations };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Days and repositories that a page asks for. */
const question = fc.record({
  days: fc.constantFrom([0, 6] as const, [1, 2] as const, [2, 3] as const),
  repository: fc.constantFrom('acme/site', 'acme/api', undefined),
});

test('the time red equals that of a model that looks at the newest run at each time, in every order of arrival', async () => {
  const order = fc.infiniteStream(fc.nat());
  await fc.assert(
    fc.asyncProperty(world, question, order, fc.nat(), async (given, asked, places, cut) => {
      await empty();
      const events = eventsOf(given)
        .map((event) => ({ event, place: places.next().value as number }))
        .toSorted((a, b) => a.place - b.place)
        .map(({ event }) => event);
      const first = cut % (events.length + 1);
      for (const batch of [events.slice(0, first), events.slice(first)])
        if (batch.length > 0) await record(...batch);
      const { repository } = asked;
      const [fromDay, toDay] = asked.days;
      assertSame(
        given,
        repository,
        await health({ from: at(fromDay * 86_400), to: at(toDay * 86_400), repository }),
      );
    }),
    { numRuns: 60 },
  );
});

test('a newer run that passes before the next one ends a period', async () => {
  await empty();
  const run = (id: number, created: number, ended: number, conclusion: string): World['runs'][number] => ({
    id,
    created,
    repository: 'acme/site',
    workflow: 'CI',
    branch: 'main',
    sha: String(id).repeat(40),
    message: 'Add it',
    attempts: [{ ended, conclusion }],
  });
  const failed = run(1, 100, 200, 'failure');
  const given = { runs: [failed, run(2, 300, 1000, 'success'), run(3, 400, 500, 'success')], merges: [] };
  await record(...eventsOf(given));
  const answer = await health({ from: at(0), to: at(86_400) });
  assertSame(given, undefined, answer);
  assert.deepEqual(
    answer.main.periods.map(({ durationMs, last }) => [durationMs, last?.runId]),
    [[300_000, 3]],
  );
});

function assertSame(given: World, repository: string | undefined, answer: Health): void {
  const [from, to] = [answer.coveredFrom ?? answer.from, answer.to].map(
    (time) => (Math.min(Date.parse(time), now) - epoch) / 1000,
  ) as [number, number];
  const models = [repository ?? ['acme/site', 'acme/api']].flat().map((name) => model(given, name, from, to));
  const { main, merges } = answer;
  const { stopped, ...byEnding } = main.byEnding;
  for (const [ending, { redMs, periods }] of Object.entries(byEnding)) {
    assert.equal(redMs, sum(models.map((each) => each.redMs[ending as 'open'])), ending);
    const listed = main.periods.filter(({ endedBy }) => (endedBy ?? 'open') === ending);
    assert.equal(periods, listed.length);
    assert.equal(redMs, sum(listed.map((period) => period.redMs)));
  }
  assert.deepEqual(stopped, { periods: 0, redMs: 0 });
  const redMs = sum(models.flatMap((each) => Object.values(each.redMs)));
  assert.equal(main.redMs ?? 0, redMs);
  assert.ok((main.observedMs ?? 0) >= redMs);
  const durations = models.flatMap((each) => each.durations).toSorted((a, b) => a - b);
  assert.equal(main.recoveries.count, durations.length);
  assert.equal(main.recoveries.p50, durations[Math.ceil(durations.length / 2) - 1] ?? null);
  if (repository === 'acme/api') return assert.deepEqual(merges, { count: 0, intoRed: null, items: [] });
  const isRed = (time: number) =>
    ['CI', 'Lint'].some((name) => stateAt(given, 'acme/site', name, time)?.isRed);
  const intoRed = given.merges.filter((time) => time >= from && time < to && isRed(time));
  assert.equal(merges.items.length, intoRed.length);
}
