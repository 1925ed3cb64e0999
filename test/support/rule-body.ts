import { defaultConclusions, type RuleBody } from '#contract/alerts.ts';

const everything = { include: [], exclude: [] };

/** A rule that takes every bad end, with what a test says otherwise. */
export function ruleBody(fields: Partial<RuleBody> = {}): RuleBody {
  return {
    name: 'Broken main',
    enabled: true,
    events: ['run', 'job'],
    conclusions: [...defaultConclusions],
    repositories: everything,
    workflows: everything,
    jobs: everything,
    branches: everything,
    actors: everything,
    ignoreBots: false,
    firstAttemptOnly: false,
    notifyOnRecovery: true,
    cooldownMinutes: 0,
    channels: [],
    ...fields,
  };
}
