import { randomUUID } from 'node:crypto';
import type { Tx } from '#platform/database/database.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { branchKey } from '#server/alerts/branches/branch-keys.ts';
import { findBranches } from '#server/alerts/branches/branch-store.ts';
import { insertForRule, lockEvaluation } from '#server/alerts/evaluation/completion-store.ts';
import {
  emptyBranch,
  reduceCompletion,
  type BranchState,
} from '#server/alerts/incidents/incident-reducer.ts';
import { readHistory } from '#server/alerts/rules/back-test/back-test.ts';
import type { Completion, Rule } from '#server/alerts/rules/matching-rules.ts';
import { replay } from '#server/alerts/rules/back-test/replay.ts';
import { listEnabledRules } from '#server/alerts/rules/rule-store.ts';
import type { Episode } from '#server/alerts/watches/episode.ts';
import { makeBreaks } from '#platform/runtime/tasks/breaks.ts';
import { mustNotify } from '#server/alerts/watches/evaluate-watches.ts';
import { findLasting, makeWatchHistory } from '#server/alerts/watches/find-episodes.ts';
import { episodeOf, listOpenWatches, listPast, watchKey } from '#server/alerts/watches/watch-store.ts';
import { redFailures } from './red-failures.ts';

export type NotifyRedNowDeps = Pick<SharedDeps, 'db' | 'log' | 'clock'>;

/**
 * Passes what is red now to the worker, which opens incidents and notifies once about each for this rule. Returns about how many
 * workflows. Call it after the rule is committed: what completes from then on is evaluated anyway. A rule stays saved if this fails,
 * which returns null.
 */
export async function notifyRedNow(
  { db, clock, log }: NotifyRedNowDeps,
  integrationId: string,
  ruleId: string,
): Promise<number | null> {
  try {
    return await db.withScope({ integrationId }, async (tx) => {
      const rule = (await listEnabledRules(tx, integrationId)).find((each) => each.ruleId === ruleId);
      if (rule === undefined) return 0;
      if (rule.watch !== 'failure') return countDueEpisodes(tx, integrationId, rule, clock());
      const { completions } = await readHistory(tx, integrationId, rule, clock());
      const { branches } = await replay(completions, rule);
      const due = await withoutNotified(tx, integrationId, rule, redFailures(branches, clock()));
      await insertForRule(tx, integrationId, ruleId, withEarlier(due, branches));
      return due.length;
    });
  } catch (error) {
    log.warn({ err: error, integrationId, ruleId }, 'red workflows of a saved rule not found');
    return null;
  }
}

/** Failures of one branch that an incident counts when a rule opens it. */
const mostCounted = 200;

/**
 * Adds the earlier failures since each branch became red, so that the incident says since when. The newest of a branch comes first: the
 * notification is about it.
 */
function withEarlier(due: readonly Completion[], branches: readonly BranchState[]): Completion[] {
  const openOf = new Map(branches.flatMap(({ open }) => (open === null ? [] : [[open.last, open]])));
  return due.flatMap((last) => {
    const open = openOf.get(last);
    if (open === undefined) return [last];
    return [...new Set([last, open.first, ...[...open.counted.values()].slice(-mostCounted)])];
  });
}

/** Leaves out what the worker would not notify about: a closed pull request, or an incident that a person closed or the rule knows. */
async function withoutNotified(
  tx: Tx,
  integrationId: string,
  rule: Rule,
  failures: readonly Completion[],
): Promise<Completion[]> {
  if (failures.length === 0) return [];
  await lockEvaluation(tx, integrationId);
  const branches = await findBranches(tx, integrationId, failures);
  return failures.filter((failure) => {
    const branch = branches.get(branchKey(failure).toString('hex')) ?? emptyBranch();
    return reduceCompletion(branch, failure, [rule], randomUUID, { isEarlier: true }).some(
      ({ type }) => type === 'notified',
    );
  });
}

/** How many incidents the next evaluation of a rule about what did not happen notifies about. */
async function countDueEpisodes(tx: Tx, integrationId: string, rule: Rule, now: number): Promise<number> {
  const openByKey = new Map(
    (await listOpenWatches(tx, integrationId)).map((row) => [row.branch_key.toString('hex'), row]),
  );
  const open = [...openByKey].map(([key, row]) => ({ ...episodeOf(row), key }));
  const episodes = await findLasting(makeWatchHistory(tx, integrationId, now), rule, open);
  const byKey = new Map<string, Episode>();
  const takeBreaks = makeBreaks();
  for (const episode of episodes) {
    await takeBreaks();
    byKey.set(watchKey(episode).toString('hex'), episode);
  }
  const keys = [...byKey.keys()].map((key) => Buffer.from(key, 'hex'));
  const past = await listPast(tx, integrationId, keys);
  return [...byKey].filter(([key, { from }]) => {
    const known = openByKey.get(key);
    const { closedAt = -Infinity, notifiedAt = new Map<string, number>() } = past.get(key) ?? {};
    return (known !== undefined || from > closedAt) && mustNotify(rule, known, notifiedAt, now);
  }).length;
}
