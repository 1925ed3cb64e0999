import type { RuleConclusion } from '#contract/runs/conclusions.ts';
import type { RuleBody, RuleEvent } from '#contract/alerts/alerts.ts';
import type { Failure } from '#contract/alerts/incidents.ts';
import { looksAt, passesGlobs, type Place } from '#contract/alerts/glob.ts';

export type RuleFilter = Omit<RuleBody, 'channels' | 'name' | 'enabled'>;

export interface Rule extends RuleFilter {
  ruleId: string;
}

/** A run or job that completed, as input of rules. */
export interface Completion extends Place {
  event: RuleEvent;
  runId: number;
  attempt: number;
  jobId: number | null;
  conclusion: string;
  actor: string | null;
  /** The name of the job, or the title of the run. */
  name: string | null;
  url: string | null;
  /** When it completed, in milliseconds since the epoch. */
  at: number;
  /** Read only for rules that ask for it. */
  groups?: GroupFacts;
  /** Only tests in quarantine failed. Read only for rules that ask for it. */
  isQuarantined?: boolean;
}

/** What is known about the failure groups of a completion. */
export interface GroupFacts {
  /** At least one failed job is not marked as known flaky or ignored. */
  isUnmarked: boolean;
  /** At least one of these is on the default branch, and new there. */
  isNewOnDefaultBranch: boolean;
}

export function matchingRules<R extends RuleFilter>(rules: readonly R[], completion: Completion): R[] {
  return rules.filter((rule) => matches(rule, completion));
}

function matches(rule: RuleFilter, completion: Completion): boolean {
  return (
    rule.watch === 'failure' &&
    rule.events.includes(completion.event) &&
    rule.conclusions.includes(completion.conclusion as RuleConclusion) &&
    !(rule.firstAttemptOnly && completion.attempt > 1) &&
    !(rule.ignoreQuarantined && completion.isQuarantined === true) &&
    !(rule.ignoreBots && isBot(completion.actor)) &&
    passesGroups(rule, completion) &&
    looksAt(rule, completion) &&
    passesGlobs(rule.actors, completion.actor, 'character') &&
    (completion.event === 'run' || passesGlobs(rule.jobs, completion.name, 'character'))
  );
}

function passesGroups({ failureGroups }: RuleFilter, { groups }: Completion): boolean {
  switch (failureGroups) {
    case 'all':
      return true;
    case 'unmarked':
      return groups?.isUnmarked ?? true;
    case 'new_on_default_branch':
      return groups?.isNewOnDefaultBranch ?? true;
  }
}

export function needsGroups({ watch, failureGroups }: RuleFilter): boolean {
  return watch === 'failure' && failureGroups !== 'all';
}

export function needsQuarantine({ watch, ignoreQuarantined }: RuleFilter): boolean {
  return watch === 'failure' && ignoreQuarantined;
}

function isBot(actor: string | null): boolean {
  return actor !== null && actor.toLowerCase().endsWith('[bot]');
}

export function failureOf(completion: Completion): Failure {
  const { event, runId, attempt, jobId, name, conclusion, actor, url, at } = completion;
  return { event, runId, attempt, jobId, name, conclusion, actor, url, at: new Date(at).toISOString() };
}
