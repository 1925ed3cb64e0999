import { matchingRules, type Completion, type Rule } from '#server/alerts/rules/matching-rules.ts';

/**
 * Live evaluation and the back-test share this reducer. It orders the completions of a workflow on a branch by run and
 * attempt, never by arrival. The success of the same or a later run resolves a failure. A later success of the same job
 * resolves the failure of a job. An incident closes when all its failures are resolved, and a failure that is already
 * resolved when it arrives is ignored. The success of a run that arrives late takes the failures up to it out of an incident that stays
 * open. So late and repeated events change nothing.
 */

/** The place of a run on its branch: forges number runs when they start. */
export interface Position {
  runId: number;
  attempt: number;
}

export interface OpenIncident {
  incidentId: string;
  first: Completion;
  last: Completion;
  /** The newest failure of each job by name; the key of runs is null. */
  failed: Map<string | null, Position>;
  failedRuns: number;
  failedJobs: number;
  /** The counted failures by `completionKey`, without those that a run resolved. */
  counted: Map<string, Completion>;
  /** Rules with a notification about it. */
  notified: Map<string, NotifiedRule>;
  isAcknowledged: boolean;
  /** In milliseconds since the epoch. */
  snoozedUntil: number | null;
}

/** The notifications of a rule about an incident. */
export interface NotifiedRule {
  /** One was sent, or is sent without waiting for a cooldown. */
  isNotified: boolean;
  /** When the cooldown of the waiting notification ends; null if none waits. */
  waitsUntil: number | null;
}

/** Why a rule that matches a failure does not notify. */
export type SuppressedReason =
  | 'too_old'
  | 'hidden'
  | 'resolved'
  | 'repeated_delivery'
  | 'already_notified'
  | 'cooldown'
  | 'acknowledged'
  | 'snoozed';

/** The state of a workflow on a branch. `reduceCompletion` changes it. */
export interface BranchState {
  runSuccess: Position | null;
  /** Failures up to here are ignored: a person closed their incident, or the pull request of the branch was closed. */
  dismissed: Position | null;
  /** The newest success of each job by its name. */
  jobSuccesses: Map<string, Position>;
  open: OpenIncident | null;
  /** By rule: when the last notified failure completed, or when the cooldown of the waiting notification ends. */
  notifiedAt: Map<string, number>;
}

export type Effect =
  | { type: 'opened' | 'counted'; incident: OpenIncident; completion: Completion }
  /** It began later than it seemed. */
  | { type: 'shortened'; incident: OpenIncident; resolved: Completion[] }
  | {
      type: 'notified';
      incident: OpenIncident;
      rule: Rule;
      completion: Completion;
      waitsUntil: number | null;
      /** True if the rule already has a notification about the incident. */
      isRepeat: boolean;
    }
  | { type: 'suppressed'; rule: Rule; reason: SuppressedReason }
  | {
      type: 'closed';
      incident: OpenIncident;
      by: Completion;
      redMs: number;
      recovered: Rule[];
      /** Rules whose notification still waits for the end of a cooldown. */
      suppressed: Rule[];
    };

export function emptyBranch(): BranchState {
  return { runSuccess: null, dismissed: null, jobSuccesses: new Map(), open: null, notifiedAt: new Map() };
}

type CompletionId = Pick<Completion, 'runId' | 'attempt' | 'jobId'>;

export function completionKey({ runId, attempt, jobId }: CompletionId): string {
  return `${runId}/${attempt}/${jobId ?? 0}`;
}

/**
 * Applies the completion to its branch and returns the effects. Pass a successful job only if its run is unknown: the
 * completion of a known run decides for all its jobs. With `isEarlier`, the rules were saved after the failure: they also notify if it
 * was counted, unless they already have. `matching` are the rules that match it, if the caller knows them. A failure that no rule matches
 * counts if it is `alwaysCounted`.
 */
export function reduceCompletion(
  branch: BranchState,
  completion: Completion,
  rules: readonly Rule[],
  makeId: () => string,
  { isEarlier = false, matching = undefined as readonly Rule[] | undefined, alwaysCounted = false } = {},
): Effect[] {
  if (completion.conclusion === 'success') return succeed(branch, completion, rules);
  matching ??= matchingRules(rules, completion);
  if (matching.length === 0 && !alwaysCounted) return [];
  if (isResolved(branch, jobNameOf(completion), completion)) return suppressAll(matching, 'resolved');
  const isCounted = branch.open?.counted.has(completionKey(completion)) === true;
  if (isCounted && !isEarlier) return suppressAll(matching, 'repeated_delivery');
  const type = branch.open === null ? 'opened' : 'counted';
  const incident = (branch.open ??= openIncident(makeId(), completion));
  if (!isCounted) count(incident, completion);
  const unaware = isEarlier ? matching.filter(({ ruleId }) => !incident.notified.has(ruleId)) : matching;
  return [
    ...(isCounted ? [] : [{ type, incident, completion } as const]),
    ...unaware.map((rule) => notify(branch, incident, rule, completion)),
  ];
}

export function suppressAll(rules: readonly Rule[], reason: SuppressedReason): Effect[] {
  return rules.map((rule) => ({ type: 'suppressed', rule, reason }));
}

function succeed(branch: BranchState, by: Completion, rules: readonly Rule[]): Effect[] {
  if (by.event === 'run') branch.runSuccess = later(branch.runSuccess, by);
  else if (by.name !== null) branch.jobSuccesses.set(by.name, later(branch.jobSuccesses.get(by.name), by));
  const incident = branch.open;
  if (incident === null) return [];
  if (![...incident.failed].every(([name, position]) => isResolved(branch, name, position))) {
    const resolved = by.event === 'run' ? shorten(incident, by) : [];
    return resolved.length === 0 ? [] : [{ type: 'shortened', incident, resolved }];
  }
  branch.open = null;
  const notified = rules.filter(({ ruleId }) => incident.notified.has(ruleId));
  const suppressed = notified.filter((rule) => suppressForRecovery(branch, incident, rule, by));
  const wasNotified = (rule: Rule): boolean =>
    incident.notified.get(rule.ruleId)?.isNotified === true || !suppressed.includes(rule);
  const recovered = notified.filter((rule) => rule.notifyOnRecovery && wasNotified(rule));
  const redMs = Math.max(0, by.at - incident.first.at);
  return [{ type: 'closed', incident, by, redMs, recovered, suppressed }];
}

/** True if the notification still waits. It is never sent then, and the cooldown counts from the notification before. */
function suppressForRecovery(
  branch: BranchState,
  { notified }: OpenIncident,
  rule: Rule,
  by: Completion,
): boolean {
  const waitsUntil = notified.get(rule.ruleId)?.waitsUntil ?? null;
  if (waitsUntil === null || waitsUntil <= by.at) return false;
  branch.notifiedAt.set(rule.ruleId, waitsUntil - cooldownMs(rule));
  return true;
}

/** A job completes once per attempt, so another job of the same name in that attempt does not resolve the failure. */
function isResolved(
  { runSuccess, dismissed, jobSuccesses }: BranchState,
  jobName: string | null,
  failure: Position,
): boolean {
  if (dismissed !== null && compare(dismissed, failure) >= 0) return true;
  if (runSuccess !== null && compare(runSuccess, failure) >= 0) return true;
  const pass = jobName === null ? undefined : jobSuccesses.get(jobName);
  return pass !== undefined && compare(pass, failure) > 0;
}

/** Null for a run: its name is a title. */
function jobNameOf({ event, name }: Completion): string | null {
  return event === 'run' ? null : name;
}

function openIncident(incidentId: string, first: Completion): OpenIncident {
  return {
    incidentId,
    first,
    last: first,
    failed: new Map(),
    failedRuns: 0,
    failedJobs: 0,
    counted: new Map(),
    notified: new Map(),
    isAcknowledged: false,
    snoozedUntil: null,
  };
}

function count(incident: OpenIncident, completion: Completion): void {
  incident.counted.set(completionKey(completion), completion);
  if (completion.event === 'run') incident.failedRuns += 1;
  else incident.failedJobs += 1;
  if (completion.at < incident.first.at) incident.first = completion;
  if (completion.at >= incident.last.at) incident.last = completion;
  const name = jobNameOf(completion);
  incident.failed.set(name, later(incident.failed.get(name), completion));
}

/** Takes the failures up to the success out, and returns them. */
function shorten(incident: OpenIncident, success: Position): Completion[] {
  const inOrder = [...incident.counted.values()].toSorted((one, other) => one.at - other.at);
  const left = inOrder.filter((failure) => compare(success, failure) < 0);
  const resolved = inOrder.filter((failure) => compare(success, failure) >= 0);
  for (const failure of resolved) {
    incident.counted.delete(completionKey(failure));
    if (failure.event === 'run') incident.failedRuns -= 1;
    else incident.failedJobs -= 1;
  }
  incident.first = left[0] ?? incident.first;
  incident.last = left.at(-1) ?? incident.last;
  return resolved;
}

/**
 * Notifies once per incident or at every failure, either immediately or at the end of the cooldown if the branch is still
 * broken then. At most one notification waits.
 */
function notify(branch: BranchState, incident: OpenIncident, rule: Rule, completion: Completion): Effect {
  const notified = incident.notified.get(rule.ruleId);
  if (notified !== undefined && rule.notify === 'incident')
    return { type: 'suppressed', rule, reason: 'already_notified' };
  if (notified !== undefined && notified.waitsUntil !== null && notified.waitsUntil > completion.at)
    return { type: 'suppressed', rule, reason: 'cooldown' };
  const before = branch.notifiedAt.get(rule.ruleId);
  const waitsUntil = before === undefined ? null : cooldownEnd(rule, before, completion.at);
  const quiet = notified === undefined && waitsUntil === null ? undefined : quietReason(incident, completion);
  if (quiet !== undefined) return { type: 'suppressed', rule, reason: quiet };
  incident.notified.set(rule.ruleId, {
    isNotified: notified !== undefined || waitsUntil === null,
    waitsUntil,
  });
  branch.notifiedAt.set(rule.ruleId, Math.max(before ?? completion.at, waitsUntil ?? completion.at));
  return { type: 'notified', incident, rule, completion, waitsUntil, isRepeat: notified !== undefined };
}

/** Why the incident sends no reminders. The first notification of a rule is sent nevertheless: its receivers may differ. */
function quietReason(
  { isAcknowledged, snoozedUntil }: OpenIncident,
  { at }: Completion,
): 'acknowledged' | 'snoozed' | undefined {
  if (isAcknowledged) return 'acknowledged';
  return snoozedUntil !== null && snoozedUntil > at ? 'snoozed' : undefined;
}

/** Null if the notification is sent immediately. Without a cooldown nothing waits, even if failures arrive out of order. */
function cooldownEnd(rule: Rule, before: number, at: number): number | null {
  const end = before + cooldownMs(rule);
  return rule.cooldownMinutes > 0 && end > at ? end : null;
}

function cooldownMs({ cooldownMinutes }: Rule): number {
  return cooldownMinutes * 60_000;
}

function later(known: Position | null | undefined, completion: Completion): Position {
  return known && compare(known, completion) >= 0 ? known : positionOf(completion);
}

function positionOf({ runId, attempt }: Position): Position {
  return { runId, attempt };
}

function compare(a: Position, b: Position): number {
  return a.runId - b.runId || a.attempt - b.attempt;
}
