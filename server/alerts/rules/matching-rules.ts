import type { RuleBody, RuleConclusion, RuleEvent } from '#contract/alerts/alerts.ts';
import type { Failure } from '#contract/alerts/incidents.ts';
import { looksAt, passesGlobs, type Place } from '#contract/alerts/glob.ts';

/** The conditions of a rule. */
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
    !(rule.ignoreBots && isBot(completion.actor)) &&
    looksAt(rule, completion) &&
    passesGlobs(rule.actors, completion.actor, 'character') &&
    (completion.event === 'run' || passesGlobs(rule.jobs, completion.name, 'character'))
  );
}

function isBot(actor: string | null): boolean {
  return actor !== null && actor.toLowerCase().endsWith('[bot]');
}

export function failureOf(completion: Completion): Failure {
  const { event, runId, attempt, jobId, name, conclusion, actor, url, at } = completion;
  return { event, runId, attempt, jobId, name, conclusion, actor, url, at: new Date(at).toISOString() };
}
