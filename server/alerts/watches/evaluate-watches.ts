import { makeBreaks } from '#platform/runtime/tasks/breaks.ts';
import type { Tx } from '#platform/database/database.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { lockEvaluation } from '#server/alerts/evaluation/completion-store.ts';
import { announceIncidents } from '#server/alerts/incidents/incident-change-store.ts';
import { insertNotifications } from '#server/alerts/notifications/notification-store.ts';
import { watchTitle } from '#server/alerts/notifications/content/watch-texts.ts';
import type { Rule } from '#server/alerts/rules/matching-rules.ts';
import { listEnabledRules } from '#server/alerts/rules/rule-store.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import type { Episode } from './episode.ts';
import {
  findLasting,
  findQuarantined,
  makeWatchHistory,
  type OpenEpisode,
  type WatchHistory,
} from './find-episodes.ts';
import {
  closeWatch,
  episodeOf,
  evidenceOf,
  listOpenWatches,
  listPast,
  openWatch,
  watchKey,
  type OpenWatch,
} from './watch-store.ts';

interface Found {
  episode: Episode;
  key: Buffer;
  /** The rules that find it. */
  rules: Rule[];
}

/**
 * Opens and closes the incidents of rules that watch what did not happen, in the caller's transaction. False when there are neither such
 * rules nor open incidents of them.
 */
export async function evaluateWatches(tx: Tx, integrationId: string, now: number): Promise<boolean> {
  await lockEvaluation(tx, integrationId);
  const rules = await listEnabledRules(tx, integrationId);
  const open = new Map(
    (await listOpenWatches(tx, integrationId)).map((row) => [row.branch_key.toString('hex'), row]),
  );
  if (open.size === 0 && rules.every(({ watch }) => watch === 'failure' || watch === 'weekly_digest'))
    return false;
  const history = makeWatchHistory(tx, integrationId, now);
  const names = await readShownNames(tx, [integrationId]);
  const openEpisodes = names.withNames(
    integrationId,
    [...open].map(([key, row]) => ({ ...episodeOf(row), key })),
  );
  const found = await findAll(history, rules, openEpisodes);
  const quarantineOf = await findQuarantined(history, openEpisodes);
  const past = await listPast(
    tx,
    integrationId,
    [...found.values()].map(({ key }) => key),
  );
  let changes = 0;
  for (const [name, one] of found) {
    const { closedAt = -Infinity, notifiedAt = new Map<string, number>() } = past.get(name) ?? {};
    const known = open.get(name);
    // A person closed the incident of this episode.
    if (known === undefined && one.episode.from <= closedAt) continue;
    if (known === undefined) changes += 1;
    await notify(tx, integrationId, { ...one, shown: names.show(integrationId, one.episode) }, known, {
      notifiedAt,
      now,
    });
  }
  for (const [name, row] of open) {
    if (found.has(name)) continue;
    changes += 1;
    const shown = names.show(integrationId, row);
    await close(tx, integrationId, shown, { rules, quarantinedUntil: quarantineOf(name) }, now);
  }
  if (changes > 0) await announceIncidents(tx, integrationId);
  return true;
}

async function findAll(
  history: WatchHistory,
  rules: readonly Rule[],
  open: readonly OpenEpisode[],
): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  const takeBreaks = makeBreaks();
  for (const rule of rules) {
    for (const episode of await findLasting(history, rule, open)) {
      await takeBreaks();
      const key = watchKey(episode);
      const name = key.toString('hex');
      const known = found.get(name) ?? { episode, key, rules: [] };
      found.set(name, { ...known, rules: [...known.rules, rule] });
    }
  }
  return found;
}

async function notify(
  tx: Tx,
  integrationId: string,
  { episode, key, rules, shown }: Found & { shown: Episode },
  known: OpenWatch | undefined,
  { notifiedAt, now }: { notifiedAt: ReadonlyMap<string, number>; now: number },
): Promise<void> {
  const incidentId = known?.incident_id ?? (await openWatch(tx, integrationId, episode));
  if (known === undefined)
    await addLogEntry(tx, {
      integrationId,
      type: 'incident.opened',
      severity: 'warning',
      title: watchTitle(shown, shown.text),
      details: { incidentId, kind: shown.kind, repository: shown.repository, workflow: shown.workflow },
    });
  for (const rule of rules) {
    const { ruleId } = rule;
    if (!mustNotify(rule, known, notifiedAt, now)) continue;
    const failure = evidenceOf(episode);
    const row = { ruleId, incidentId, branchKey: key, kind: 'opened' as const, failure };
    await insertNotifications(tx, integrationId, { ...row, failureAt: new Date(failure.at) }, 0);
  }
}

/** Whether the rule has not notified about the open incident and its cooldown is over. */
export function mustNotify(
  { ruleId, cooldownMinutes }: Rule,
  known: OpenWatch | undefined,
  notifiedAt: ReadonlyMap<string, number>,
  now: number,
): boolean {
  const isCooling = now - (notifiedAt.get(ruleId) ?? -Infinity) < cooldownMinutes * 60_000;
  return !isCooling && known?.notified.includes(ruleId) !== true;
}

async function close(
  tx: Tx,
  integrationId: string,
  row: OpenWatch,
  { rules, quarantinedUntil }: { rules: readonly Rule[]; quarantinedUntil: Date | undefined },
  now: number,
): Promise<void> {
  const { incident_id: incidentId, branch_key: branchKey, notified } = row;
  await closeWatch(tx, integrationId, incidentId, { at: new Date(now), quarantinedUntil });
  const text =
    quarantinedUntil === undefined
      ? 'Is fine again'
      : `Quarantined until ${quarantinedUntil.toISOString().slice(0, 10)}`;
  await addLogEntry(tx, {
    integrationId,
    type: 'incident.closed',
    title: watchTitle(row, text),
    details: { incidentId, kind: row.kind, repository: row.repository, workflow: row.workflow },
  });
  // Nobody is notified about a test in quarantine.
  if (quarantinedUntil !== undefined) return;
  for (const { ruleId, notifyOnRecovery } of rules) {
    if (!notifyOnRecovery || !notified.includes(ruleId)) continue;
    const failureAt = new Date(row.last_failure.at);
    const recovery = { ruleId, incidentId, branchKey, kind: 'recovered' as const, failureAt, failure: null };
    await insertNotifications(tx, integrationId, recovery, 0);
  }
}
