import { backTestDays, type BackTestAnswer, type BackTestSample } from '#contract/alerts/back-test.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { makeBreaks } from '#platform/runtime/tasks/breaks.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import type { Effect, OpenIncident } from '#server/alerts/incidents/incident-reducer.ts';
import { readDigest } from '#server/alerts/digest/read-digest.ts';
import { digestText } from '#server/alerts/notifications/content/digest-content.ts';
import { DashboardCache } from '#server/rollups/dashboards/dashboard-cache.ts';
import { addRuleFacts } from '#server/alerts/reasons/rule-facts.ts';
import { redFailures } from '#server/alerts/red-now/red-failures.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import { backTestWatch } from './back-test-watch.ts';
import { listHistory } from './back-test-store.ts';
import { checkRule } from '../check-rule.ts';
import { failureOf, type Completion, type RuleFilter } from '../matching-rules.ts';
import { replay } from './replay.ts';

const maxSamples = 20;
const digestedDays = 7;

/** Evaluates the rule on the stored history, as if it had always been the only rule. Of a weekly digest, returns that of the last seven days. */
export async function backTest(
  { db, clock }: { db: Database; clock: Clock },
  integrationId: string,
  body: RuleFilter,
): Promise<BackTestAnswer> {
  checkRule(body);
  const now = clock();
  if (body.watch === 'weekly_digest') return previewDigest(db, integrationId, body, now);
  if (body.watch !== 'failure') return backTestWatch(db, integrationId, body, now);
  const { completions, from } = await db.withScope({ integrationId }, (tx) =>
    readHistory(tx, integrationId, body, now),
  );
  const { effects, branches } = await replay(completions, body);
  const incidents = await incidentsOf(effects);
  return {
    days: backTestDays,
    from: from.toISOString(),
    fired: sum(incidents, ({ messages }) => messages),
    passedOnRerun: sum(incidents.filter(hasPassedOnRerun), ({ messages }) => messages),
    recovered: incidents.filter(({ end }) => end !== undefined && end.recovered.length > 0).length,
    heldBack: incidents.filter(({ end }) => end !== undefined && end.suppressed.length > 0).length,
    incidents: incidents.length,
    redNow: redFailures(branches, now).length,
    matches: sum(incidents, ({ matches }) => matches),
    samples: incidents.slice(-maxSamples).toReversed().map(sampleOf),
    digest: null,
  };
}

async function previewDigest(
  db: Database,
  integrationId: string,
  rule: RuleFilter,
  now: number,
): Promise<BackTestAnswer> {
  const digest = await db.withScope({ integrationId }, (tx) =>
    readDigest(tx, integrationId, rule, now, new DashboardCache()),
  );
  const none = {
    passedOnRerun: 0,
    recovered: 0,
    heldBack: 0,
    incidents: 0,
    redNow: 0,
    matches: 0,
    samples: [],
  };
  return {
    ...none,
    days: digestedDays,
    from: new Date(now - digestedDays * dayMs).toISOString(),
    fired: digest === undefined ? 0 : 1,
    digest: digest === undefined ? null : digestText(digest),
  };
}

/** The completions of the days of a back-test, with what the rule needs to know about them. */
export async function readHistory(
  tx: Tx,
  integrationId: string,
  rule: RuleFilter,
  now: number,
): Promise<{ completions: Completion[]; from: Date }> {
  const since = new Date(now - backTestDays * dayMs);
  const [names, found] = await Promise.all([
    readShownNames(tx, [integrationId]),
    listHistory(tx, integrationId, since, rule.conclusions),
  ]);
  const completions = names.withNames(integrationId, found.completions);
  const from = found.from !== null && found.from > since ? found.from : since;
  return { completions: await addRuleFacts(tx, integrationId, completions, [rule]), from };
}

type Closed = Extract<Effect, { type: 'closed' }>;

interface ReplayedIncident {
  incident: OpenIncident;
  /** Undefined while it is open. */
  end: Closed | undefined;
  /** Failures of runs and jobs. */
  matches: number;
  /** About its failures, per channel. */
  messages: number;
}

/** In the order in which they opened. */
async function incidentsOf(effects: readonly Effect[]): Promise<ReplayedIncident[]> {
  const found = new Map<OpenIncident, ReplayedIncident>();
  const takeBreaks = makeBreaks();
  for (const effect of effects) {
    await takeBreaks();
    if (effect.type === 'suppressed') continue;
    const { incident } = effect;
    const replayed = found.get(incident) ?? { incident, end: undefined, matches: 0, messages: 0 };
    found.set(incident, replayed);
    if (effect.type === 'opened' || effect.type === 'counted') replayed.matches += 1;
    if (effect.type === 'notified') replayed.messages += 1;
    if (effect.type !== 'closed') continue;
    replayed.end = effect;
    replayed.messages -= effect.suppressed.length;
  }
  return [...found.values()];
}

const sum = (incidents: readonly ReplayedIncident[], of: (incident: ReplayedIncident) => number): number =>
  incidents.reduce((total, incident) => total + of(incident), 0);

/** All its failures are of the run that ended it with a later attempt. */
function hasPassedOnRerun({ incident: { first, last }, end }: ReplayedIncident): boolean {
  return (
    end !== undefined &&
    [first, last].every(({ runId }) => runId === end.by.runId) &&
    end.by.attempt > last.attempt
  );
}

function sampleOf({ incident, end, messages }: ReplayedIncident): BackTestSample {
  const { repository, workflow, branch } = incident.first;
  return {
    subject: null,
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
}
