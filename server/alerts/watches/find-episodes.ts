import { backTestDays } from '#contract/alerts/back-test.ts';
import { flakyDays } from '#contract/tests/tests.ts';
import { looksAt, passesGlobs } from '#contract/alerts/glob.ts';
import { makeBreaks } from '#platform/runtime/tasks/breaks.ts';
import type { Tx } from '#platform/database/database.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import type { RuleFilter } from '#server/alerts/rules/matching-rules.ts';
import type { Episode } from './episode.ts';
import { longQueues } from './long-queues.ts';
import { missingRuns } from './missing-runs.ts';
import { slowerRuns } from './slower-runs.ts';
import { changedTests, isNews, seenAt, type ChangedTest } from './test-changes.ts';
import { listBrokenTests, listFlakyTests } from './test-history-store.ts';
import { listQueuedJobs, listStartedRuns, listTimedRuns } from './watch-history-store.ts';
import { watchKey } from './watch-store.ts';

/** What episodes are found in. Each list is read once for all rules, when the first one needs it. */
export interface WatchHistory {
  now: number;
  startedRuns: () => ReturnType<typeof listStartedRuns>;
  queuedJobs: () => ReturnType<typeof listQueuedJobs>;
  timedWorkflows: () => ReturnType<typeof listTimedRuns>;
  timedJobs: () => ReturnType<typeof listTimedRuns>;
  tests: Record<'test_broken' | 'test_flaky', () => Promise<ChangedTest[]>>;
}

export function makeWatchHistory(tx: Tx, integrationId: string, now: number): WatchHistory {
  const names = once(() => readShownNames(tx, [integrationId]));
  const named = <Row extends { repository: string; workflow: string | null }>(read: () => Promise<Row[]>) =>
    once(async () => (await names()).withNames(integrationId, await read()));
  const since = (days: number): Date => new Date(now - days * dayMs);
  const twice = since(2 * backTestDays);
  return {
    now,
    startedRuns: named(() => listStartedRuns(tx, integrationId, twice)),
    queuedJobs: named(() => listQueuedJobs(tx, integrationId, since(backTestDays))),
    timedWorkflows: named(() => listTimedRuns(tx, integrationId, twice, 'workflow')),
    timedJobs: named(() => listTimedRuns(tx, integrationId, twice, 'job')),
    tests: {
      test_broken: named(() => listBrokenTests(tx, integrationId, since(backTestDays))),
      test_flaky: named(() => listFlakyTests(tx, integrationId, since(flakyDays))),
    },
  };
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  return () => (known ??= read());
}

/** The episode of an open incident, and the key of that incident in hex. */
export type OpenEpisode = Episode & { key: string };

/**
 * The episodes that last. `open` are those of open incidents: one whose workflow or job is not among the newest runs lasts too, because
 * nothing has changed.
 */
export async function findLasting(
  history: WatchHistory,
  rule: RuleFilter,
  open: readonly OpenEpisode[],
): Promise<Episode[]> {
  const { episodes, subjects } = await findEpisodes(history, rule);
  const isUnseen = (episode: Episode): boolean =>
    episode.kind === rule.watch &&
    looksAt(rule, { ...episode, onDefaultBranch: true }) &&
    subjects?.has(subjectKey(episode)) === false;
  const openKeys = new Set(open.map(({ key }) => key));
  const isLasting = (episode: Episode): boolean =>
    episode.to === null && (isNews(episode, history.now) || openKeys.has(keyText(episode)));
  return [...episodes.filter(isLasting), ...(await filterInTurns(open, isUnseen))];
}

/** When the quarantine of tests ends that an incident is about; undefined if none of them is in quarantine. */
export async function findQuarantined(
  history: WatchHistory,
  open: readonly Pick<Episode, 'kind'>[],
): Promise<(key: string) => Date | undefined> {
  const ends = new Map<string, Date>();
  for (const kind of ['test_broken', 'test_flaky'] as const) {
    if (!open.some((episode) => episode.kind === kind)) continue;
    for (const test of await history.tests[kind]()) {
      const { quarantinedUntil: until } = test;
      if (until === null) continue;
      const key = keyText({ ...test, kind, subject: null });
      const known = ends.get(key);
      if (known === undefined || known < until) ends.set(key, until);
    }
  }
  return (key) => ends.get(key);
}

/** The episodes of the days of a back-test. Live evaluation uses the same functions, so that the back-test predicts it. */
export async function findPast(history: WatchHistory, rule: RuleFilter): Promise<Episode[]> {
  const { episodes } = await findEpisodes(history, rule);
  return episodes.filter(({ from }) => from >= history.now - backTestDays * dayMs);
}

interface Found {
  episodes: Episode[];
  /** The workflows and jobs that have runs; undefined if their absence says that the episode is over. */
  subjects?: ReadonlySet<string>;
}

async function findEpisodes(history: WatchHistory, rule: RuleFilter): Promise<Found> {
  switch (rule.watch) {
    case 'failure':
    case 'weekly_digest':
      return { episodes: [] };
    case 'did_not_run': {
      const isCounted = (event: string | null): boolean => rule.everyHours !== null || event === 'schedule';
      const runs = await filterInTurns(
        await history.startedRuns(),
        (run) => isCounted(run.event) && looksAt(rule, run),
      );
      const subjects = new Set(runs.map((run) => subjectKey({ ...run, subject: null })));
      return { episodes: missingRuns(runs, rule.everyHours, history.now), subjects };
    }
    case 'queued_too_long': {
      const jobs = await filterInTurns(
        await history.queuedJobs(),
        (job) => looksAt(rule, job) && passesGlobs(rule.jobs, job.name, 'character'),
      );
      return { episodes: longQueues(jobs, { minutes: rule.queueMinutes, labels: rule.labels }, history.now) };
    }
    case 'got_slower': {
      const isJob = rule.slowerSubject === 'job';
      const runs = await filterInTurns(
        await (isJob ? history.timedJobs() : history.timedWorkflows()),
        (run) => looksAt(rule, run) && (!isJob || passesGlobs(rule.jobs, run.job, 'character')),
      );
      const subjects = new Set(runs.map((run) => subjectKey({ ...run, subject: run.job })));
      return { episodes: slowerRuns(runs, { percent: rule.slowerPercent, runs: rule.slowerRuns }), subjects };
    }
    case 'test_broken':
    case 'test_flaky': {
      const tests = await filterInTurns(await history.tests[rule.watch](), (test) => looksAt(rule, test));
      return { episodes: changedTests(rule.watch, tests) };
    }
  }
}

/** Comparing one name with the patterns of a rule can take a millisecond. */
async function filterInTurns<Item>(
  items: readonly Item[],
  isWanted: (item: Item) => boolean,
): Promise<Item[]> {
  const takeBreaks = makeBreaks();
  const wanted: Item[] = [];
  for (const item of items) {
    await takeBreaks();
    if (isWanted(item)) wanted.push(item);
  }
  return wanted;
}

const keyText = (episode: Parameters<typeof watchKey>[0]): string => watchKey(episode).toString('hex');

function subjectKey({ repository, workflow, subject }: Pick<Episode, 'repository' | 'workflow' | 'subject'>) {
  return JSON.stringify([repository, workflow, subject]);
}

/** Tests that became broken or flaky in the last 14 days and still are, with the key that their incident has if a rule watches them. */
export async function readTestNews(
  tx: Tx,
  integrationId: string,
  now: number,
): Promise<(Episode & { key: string })[]> {
  const { tests } = makeWatchHistory(tx, integrationId, now);
  const [broken, flaky] = await Promise.all([tests.test_broken(), tests.test_flaky()]);
  return [...changedTests('test_broken', broken), ...changedTests('test_flaky', flaky)]
    .filter((episode) => seenAt(episode) >= now - flakyDays * dayMs)
    .map((episode) => ({ ...episode, key: keyText(episode) }));
}
