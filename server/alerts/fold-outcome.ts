import { matchingRules, type Outcome, type Rule } from './matching-rules.ts';

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
  /** Rules that sent a message about it, and those whose cooldown held theirs back. */
  told: Set<string>;
  heldBack: Set<string>;
}

/** A workflow on a branch. `foldOutcome` changes it. */
export interface BranchState {
  success: Position | null;
  /** The newest success of each job by its name. */
  passed: Map<string, Position>;
  open: OpenIncident | null;
  /** When the failure ended that each rule last sent a message about. */
  toldAt: Map<string, number>;
}

export type Effect =
  | { type: 'opened' | 'counted'; incident: OpenIncident; outcome: Outcome }
  | { type: 'told' | 'held_back'; incident: OpenIncident; rule: Rule; outcome: Outcome }
  | { type: 'closed'; incident: OpenIncident; by: Outcome; redMs: number; recovered: Rule[] };

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
  if (isMended(branch, jobNameOf(outcome), outcome)) return [];
  if (branch.open?.seen.has(outcomeKey(outcome))) return [];
  const isNew = branch.open === null;
  const incident = (branch.open ??= openIncident(makeId(), outcome));
  count(incident, outcome);
  return [
    { type: isNew ? 'opened' : 'counted', incident, outcome },
    ...matching.flatMap((rule) => tell(branch, incident, rule, outcome)),
  ];
}

function succeed(branch: BranchState, by: Outcome, rules: readonly Rule[]): Effect[] {
  if (by.event === 'run') branch.success = later(branch.success, by);
  else if (by.name !== null) branch.passed.set(by.name, later(branch.passed.get(by.name), by));
  const incident = branch.open;
  if (incident === null) return [];
  if (![...incident.failed].every(([name, position]) => isMended(branch, name, position))) return [];
  branch.open = null;
  const recovered = rules.filter((rule) => rule.notifyOnRecovery && incident.told.has(rule.ruleId));
  return [{ type: 'closed', incident, by, redMs: Math.max(0, by.at - incident.first.at), recovered }];
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
    told: new Set(),
    heldBack: new Set(),
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

/** Once per incident; what a cooldown holds back is said at the first failure after it. */
function tell(branch: BranchState, incident: OpenIncident, rule: Rule, outcome: Outcome): Effect[] {
  if (incident.told.has(rule.ruleId)) return [];
  const before = branch.toldAt.get(rule.ruleId);
  const isTooSoon = before !== undefined && outcome.at < before + rule.cooldownMinutes * 60_000;
  if (isTooSoon && incident.heldBack.has(rule.ruleId)) return [];
  (isTooSoon ? incident.heldBack : incident.told).add(rule.ruleId);
  if (!isTooSoon) branch.toldAt.set(rule.ruleId, outcome.at);
  return [{ type: isTooSoon ? 'held_back' : 'told', incident, rule, outcome }];
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
