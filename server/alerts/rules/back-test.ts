import { backTestDays, type BackTestAnswer, type BackTestSample } from '#contract/alerts/back-test.ts';
import type { Database } from '#platform/database/database.ts';
import { makeBreaks } from '#platform/runtime/tasks/breaks.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import {
  emptyBranch,
  reduceCompletion,
  type BranchState,
  type Effect,
  type OpenIncident,
} from '#server/alerts/incidents/incident-reducer.ts';
import { branchKey } from '#server/alerts/branches/branch-keys.ts';
import { limitPatterns } from './limit-patterns.ts';
import { failureOf, needsGroups, type Completion, type Rule, type RuleFilter } from './matching-rules.ts';
import { addGroupFacts } from '#server/alerts/reasons/group-fact-store.ts';
import { backTestWatch } from './back-test-watch.ts';
import { listHistory } from './back-test-store.ts';

const maxSamples = 20;

/** Evaluates the rule on the stored history, as if it had always been the only rule. */
export async function backTest(
  { db, clock }: { db: Database; clock: Clock },
  integrationId: string,
  body: RuleFilter,
): Promise<BackTestAnswer> {
  limitPatterns(body);
  if (body.watch !== 'failure') return backTestWatch(db, integrationId, body, clock());
  const since = new Date(clock() - backTestDays * 86_400_000);
  const history = await db.withScope({ integrationId }, async (tx) => {
    const found = await listHistory(tx, integrationId, since, body.conclusions);
    if (!needsGroups(body)) return found;
    return { ...found, completions: await addGroupFacts(tx, integrationId, found.completions) };
  });
  const from = history.from !== null && history.from > since ? history.from : since;
  return { days: backTestDays, from: from.toISOString(), ...(await replay(history.completions, body)) };
}

/** Takes the completions in the order of their end. Pure; uses the same reducer as live evaluation. */
async function replay(
  completions: readonly Completion[],
  filter: RuleFilter,
): Promise<Omit<BackTestAnswer, 'days' | 'from'>> {
  const rule: Rule = { ...filter, ruleId: 'tested' };
  const branches = new Map<string, BranchState>();
  let nextId = 0;
  const effects: Effect[] = [];
  const takeBreaks = makeBreaks();
  for (const completion of completions) {
    await takeBreaks();
    const key = branchKey(completion).toString('hex');
    const branch = branches.get(key) ?? emptyBranch();
    branches.set(key, branch);
    effects.push(...reduceCompletion(branch, completion, [rule], () => String(nextId++)));
  }
  const count = (test: (effect: Effect) => boolean): number => effects.filter(test).length;
  const heldBack = count((effect) => effect.type === 'closed' && effect.suppressed.length > 0);
  return {
    fired: count(({ type }) => type === 'notified') - heldBack,
    recovered: count((effect) => effect.type === 'closed' && effect.recovered.length > 0),
    heldBack,
    incidents: count(({ type }) => type === 'opened'),
    matches: count(({ type }) => type === 'opened' || type === 'counted'),
    samples: samplesOf(effects),
  };
}

function samplesOf(effects: readonly Effect[]): BackTestSample[] {
  const ends = new Map(
    effects.flatMap((effect) => (effect.type === 'closed' ? [[effect.incident, effect] as const] : [])),
  );
  const notified = new Map<OpenIncident, number>();
  for (const effect of effects)
    if (effect.type === 'notified') notified.set(effect.incident, (notified.get(effect.incident) ?? 0) + 1);
  return effects
    .flatMap((effect) => (effect.type === 'opened' ? [effect.incident] : []))
    .slice(-maxSamples)
    .reverse()
    .map((incident) => {
      const end = ends.get(incident);
      const messages = (notified.get(incident) ?? 0) - (end?.suppressed.length ?? 0);
      const { repository, workflow, branch } = incident.first;
      return {
        repository,
        workflow,
        branch,
        failure: failureOf(incident.first),
        failedRuns: incident.failedRuns,
        failedJobs: incident.failedJobs,
        messages,
        heldBack: end !== undefined && messages === 0,
        recoveredAt: end === undefined ? null : new Date(end.by.at).toISOString(),
        redMs: end?.redMs ?? null,
      };
    });
}
