import { matchingRules, type Outcome, type Rule } from '#server/alerts/rules/matching-rules.ts';

/**
 * The one machine behind live alerts and the back-test. Outcomes of a workflow on a branch stand in the order of their
 * runs and attempts, not of their arrival. A failure is mended by the success of a run, its own or a later one, and that
 * of a job by a later success of the same job. An incident ends when all its failures are mended, and a failure that is
 * mended when it comes is history. So late and repeated events change nothing.
 */

/** Where a run stands among those of its branch: forges number them as they begin. */
export interface Position {
  runId: number;
  attempt: number;
}

export interface OpenIncident {
  incidentId: string;
  first: Outcome;
  last: Outcome;
  /** The newest failure of each job by its name, and of runs under null. */
  failed: Map<string | null, Position>;
  failedRuns: number;
  failedJobs: number;
  /** What is counted already, by `outcomeKey`. */
  seen: Set<string>;
  /** Rules with a message about it. */
  told: Map<string, Told>;
}

/** What a rule said about an incident. */
export interface Told {
  /** A message about it went, or goes without waiting for a cooldown. */
  isNotified: boolean;
  /** When the message goes that a cooldown has wait; null when there is none. */
  waitsUntil: number | null;
}

/** Why a rule that matches a failure says nothing about it. */
export type SuppressedReason = 'too_old' | 'resolved' | 'repeated_delivery' | 'already_notified' | 'cooldown';

/** A workflow on a branch. `foldOutcome` changes it. */
export interface BranchState {
  success: Position | null;
  /** The newest success of each job by its name. */
  passed: Map<string, Position>;
  open: OpenIncident | null;
  /** When the failure ended that each rule last sent a message about, or when its cooldown lets the message go. */
  toldAt: Map<string, number>;
}

export type Effect =
  | { type: 'opened' | 'counted'; incident: OpenIncident; outcome: Outcome }
  | {
      type: 'told';
      incident: OpenIncident;
      rule: Rule;
      outcome: Outcome;
      waitsUntil: number | null;
      /** Not the first message of the rule about the incident. */
      isRepeat: boolean;
    }
  | { type: 'suppressed'; rule: Rule; reason: SuppressedReason }
  | {
      type: 'closed';
      incident: OpenIncident;
      by: Outcome;
      redMs: number;
      recovered: Rule[];
      /** With a message that still waited for the end of a cooldown. */
      heldBack: Rule[];
    };

export function emptyBranch(): BranchState {
  return { success: null, passed: new Map(), open: null, toldAt: new Map() };
}

export function outcomeKey({ runId, attempt, jobId }: Pick<Outcome, 'runId' | 'attempt' | 'jobId'>): string {
  return `${runId}/${attempt}/${jobId ?? 0}`;
}

/**
 * Applies the outcome to its branch, and answers what is to be done about it. Successes of jobs are for runs that are not
 * known: where one is, its end alone says whether everything in it is green.
 */
export function foldOutcome(
  branch: BranchState,
  outcome: Outcome,
  rules: readonly Rule[],
  makeId: () => string,
): Effect[] {
  if (outcome.conclusion === 'success') return succeed(branch, outcome, rules);
  const matching = matchingRules(rules, outcome);
  if (matching.length === 0) return [];
  if (isMended(branch, jobNameOf(outcome), outcome)) return suppressAll(matching, 'resolved');
  if (branch.open?.seen.has(outcomeKey(outcome))) return suppressAll(matching, 'repeated_delivery');
  const isNew = branch.open === null;
  const incident = (branch.open ??= openIncident(makeId(), outcome));
  count(incident, outcome);
  return [
    { type: isNew ? 'opened' : 'counted', incident, outcome },
    ...matching.map((rule) => tell(branch, incident, rule, outcome)),
  ];
}

/** What rules that match say when they say nothing. */
export function suppressAll(rules: readonly Rule[], reason: SuppressedReason): Effect[] {
  return rules.map((rule) => ({ type: 'suppressed', rule, reason }));
}

function succeed(branch: BranchState, by: Outcome, rules: readonly Rule[]): Effect[] {
  if (by.event === 'run') branch.success = later(branch.success, by);
  else if (by.name !== null) branch.passed.set(by.name, later(branch.passed.get(by.name), by));
  const incident = branch.open;
  if (incident === null) return [];
  if (![...incident.failed].every(([name, position]) => isMended(branch, name, position))) return [];
  branch.open = null;
  const told = rules.filter(({ ruleId }) => incident.told.has(ruleId));
  const heldBack = told.filter((rule) => takeBack(branch, incident, rule, by));
  const hasSpoken = (rule: Rule): boolean =>
    incident.told.get(rule.ruleId)?.isNotified === true || !heldBack.includes(rule);
  const recovered = told.filter((rule) => rule.notifyOnRecovery && hasSpoken(rule));
  const redMs = Math.max(0, by.at - incident.first.at);
  return [{ type: 'closed', incident, by, redMs, recovered, heldBack }];
}

/** Whether the message still waits: then it never goes, and the cooldown counts from the one before. */
function takeBack(branch: BranchState, { told }: OpenIncident, rule: Rule, by: Outcome): boolean {
  const waitsUntil = told.get(rule.ruleId)?.waitsUntil ?? null;
  if (waitsUntil === null || waitsUntil <= by.at) return false;
  branch.toldAt.set(rule.ruleId, waitsUntil - cooldownMs(rule));
  return true;
}

/** A job ends once in an attempt: another of the same name in it says nothing of this one. */
function isMended({ success, passed }: BranchState, jobName: string | null, failure: Position): boolean {
  if (success !== null && compare(success, failure) >= 0) return true;
  const pass = jobName === null ? undefined : passed.get(jobName);
  return pass !== undefined && compare(pass, failure) > 0;
}

/** Null for a run, whose name is a title. */
export function jobNameOf({ event, name }: Outcome): string | null {
  return event === 'run' ? null : name;
}

function openIncident(incidentId: string, first: Outcome): OpenIncident {
  return {
    incidentId,
    first,
    last: first,
    failed: new Map(),
    failedRuns: 0,
    failedJobs: 0,
    seen: new Set(),
    told: new Map(),
  };
}

function count(incident: OpenIncident, outcome: Outcome): void {
  incident.seen.add(outcomeKey(outcome));
  if (outcome.event === 'run') incident.failedRuns += 1;
  else incident.failedJobs += 1;
  if (outcome.at < incident.first.at) incident.first = outcome;
  if (outcome.at >= incident.last.at) incident.last = outcome;
  const name = jobNameOf(outcome);
  incident.failed.set(name, later(incident.failed.get(name), outcome));
}

/**
 * Once per incident, or at every failure: at once, or when the cooldown has passed, if it is still red then. One message
 * waits at most.
 */
function tell(branch: BranchState, incident: OpenIncident, rule: Rule, outcome: Outcome): Effect {
  const told = incident.told.get(rule.ruleId);
  if (told !== undefined && rule.notify === 'incident')
    return { type: 'suppressed', rule, reason: 'already_notified' };
  if (told !== undefined && told.waitsUntil !== null && told.waitsUntil > outcome.at)
    return { type: 'suppressed', rule, reason: 'cooldown' };
  const before = branch.toldAt.get(rule.ruleId);
  const waitsUntil = before === undefined ? null : cooldownEnd(rule, before, outcome.at);
  incident.told.set(rule.ruleId, { isNotified: told !== undefined || waitsUntil === null, waitsUntil });
  branch.toldAt.set(rule.ruleId, Math.max(before ?? outcome.at, waitsUntil ?? outcome.at));
  return { type: 'told', incident, rule, outcome, waitsUntil, isRepeat: told !== undefined };
}

/** Null when the message may go at once. Without a cooldown nothing waits, also when failures come out of order. */
function cooldownEnd(rule: Rule, before: number, at: number): number | null {
  const end = before + cooldownMs(rule);
  return rule.cooldownMinutes > 0 && end > at ? end : null;
}

function cooldownMs({ cooldownMinutes }: Rule): number {
  return cooldownMinutes * 60_000;
}

function later(known: Position | null | undefined, outcome: Outcome): Position {
  return known && compare(known, outcome) >= 0 ? known : positionOf(outcome);
}

function positionOf({ runId, attempt }: Position): Position {
  return { runId, attempt };
}

function compare(a: Position, b: Position): number {
  return a.runId - b.runId || a.attempt - b.attempt;
}
