import type { Digest } from '#contract/alerts/digest.ts';
import { passesGlobs, looksAt } from '#contract/alerts/glob.ts';
import { firstTryRate } from '#contract/metrics/first-try.ts';
import type { Change } from '#contract/metrics/changes.ts';
import type { Tx } from '#platform/database/database.ts';
import type { RuleFilter } from '#server/alerts/rules/matching-rules.ts';
import { listFlakyTests } from '#server/alerts/watches/test-history-store.ts';
import { readWeek, type WeekNumbers } from '#server/rollups/changes/read-week.ts';
import type { DashboardCache } from '#server/rollups/dashboards/dashboard-cache.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import { listFrequentFailures, sumLostInTests } from './digest-store.ts';

const mostListed = 5;

/** The seven days until `to`, in the repositories of the rule. Undefined if there is nothing to say: nothing failed and nothing became worse. */
export async function readDigest(
  tx: Tx,
  integrationId: string,
  rule: Pick<RuleFilter, 'repositories' | 'timeZone'>,
  to: number,
  cache: DashboardCache,
): Promise<Digest | undefined> {
  const everything = { include: [], exclude: [] };
  const place = {
    repositories: rule.repositories,
    workflows: everything,
    branches: everything,
    defaultBranchOnly: false,
  };
  const isWanted = (repository: string): boolean => passesGlobs(rule.repositories, repository, 'border');
  const week = await readWeek(tx, integrationId, { to, timeZone: rule.timeZone }, isWanted, cache);
  const { from } = week;
  const names = await readShownNames(tx, [integrationId]);
  const wanted = <T extends { repository: string; workflow: string | null }>(places: readonly T[]): T[] =>
    names
      .withNames(integrationId, places)
      .filter((each) => looksAt(place, { ...each, branch: null }))
      .map((each) => names.show(integrationId, each));
  const tests = wanted(await listFlakyTests(tx, integrationId, new Date(from))).filter(
    ({ since, quarantinedUntil }) => since >= from && since < to && quarantinedUntil === null,
  );
  const failures = wanted(await listFrequentFailures(tx, integrationId, { from, to }));
  const lost = await sumLostInTests(tx, integrationId, { from, to });
  const digest: Digest = {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    timeZone: rule.timeZone,
    health: healthOf(week.numbers),
    healthBefore: healthOf(week.numbersBefore),
    changes: cut(week.changes, (change) => changeOf(names.show(integrationId, change))),
    flakyTests: cut(tests, ({ repository, className, name }) => ({ repository, className, name })),
    flakyJobs: cut(week.newFlakyJobs, (job) => names.show(integrationId, job)),
    failures: cut(failures, ({ groupId, repository, job, errorLine, failures: count }) => {
      return { groupId, repository, job, errorLine, failures: count };
    }),
    lostInJobsMs: Math.round(week.lostMs),
    lostInTestsMs: Math.round(
      lost.reduce((sum, { repository, lostMs }) => sum + (isWanted(repository) ? lostMs : 0), 0),
    ),
  };
  return saysSomething(digest) ? digest : undefined;
}

function saysSomething({ health, changes, flakyTests, flakyJobs, failures, ...lost }: Digest): boolean {
  const counts = [changes.count, flakyTests.count, flakyJobs.count, failures.count];
  return (
    health.failed + lost.lostInJobsMs + lost.lostInTestsMs + counts.reduce((sum, each) => sum + each, 0) > 0
  );
}

function healthOf({ runs, succeeded, failed, recovered }: WeekNumbers): Digest['health'] {
  const decided = succeeded + failed;
  return {
    runs,
    failed,
    successRate: decided === 0 ? null : succeeded / decided,
    firstTrySuccessRate: firstTryRate({ succeeded, recovered, failed }),
  };
}

const valueNames = {
  failing: 'failedShare',
  flakier: 'recoveredShare',
  slower: 'durationP50Ms',
  costlier: 'billableMinutes',
} as const;

function changeOf({
  kind,
  repository,
  workflow,
  job,
  before,
  after,
}: Change): Digest['changes']['items'][number] {
  const name = valueNames[kind];
  return { kind, repository, workflow, job, before: before[name] ?? 0, after: after[name] ?? 0 };
}

function cut<T, Item>(all: readonly T[], itemOf: (each: T) => Item): { count: number; items: Item[] } {
  return { count: all.length, items: all.slice(0, mostListed).map(itemOf) };
}
