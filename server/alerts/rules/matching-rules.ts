import type { RuleBody, RuleConclusion, RuleEvent } from '#contract/alerts.ts';
import type { Failure } from '#contract/incidents.ts';
import { looksAt, passesGlobs, type Place } from '#contract/glob.ts';

/** What a rule asks of a run or job. */
export type RuleFilter = Omit<RuleBody, 'channels' | 'name' | 'enabled'>;

export interface Rule extends RuleFilter {
  ruleId: string;
}

/** How a run or job ended. */
export interface Outcome extends Place {
  event: RuleEvent;
  runId: number;
  attempt: number;
  jobId: number | null;
  conclusion: string;
  actor: string | null;
  /** Of the job; of a run its title. */
  name: string | null;
  url: string | null;
  /** When it ended, in milliseconds since the epoch. */
  at: number;
}

/** The rules that want to hear of this outcome. */
export function matchingRules<R extends RuleFilter>(rules: readonly R[], outcome: Outcome): R[] {
  return rules.filter((rule) => matches(rule, outcome));
}

function matches(rule: RuleFilter, outcome: Outcome): boolean {
  return (
    rule.events.includes(outcome.event) &&
    rule.conclusions.includes(outcome.conclusion as RuleConclusion) &&
    !(rule.firstAttemptOnly && outcome.attempt > 1) &&
    !(rule.ignoreBots && isBot(outcome.actor)) &&
    looksAt(rule, outcome) &&
    passesGlobs(rule.actors, outcome.actor, 'character') &&
    (outcome.event === 'run' || passesGlobs(rule.jobs, outcome.name, 'character'))
  );
}

function isBot(actor: string | null): boolean {
  return actor !== null && actor.toLowerCase().endsWith('[bot]');
}

export function failureOf(outcome: Outcome): Failure {
  const { event, runId, attempt, jobId, name, conclusion, actor, url, at } = outcome;
  return { event, runId, attempt, jobId, name, conclusion, actor, url, at: new Date(at).toISOString() };
}
