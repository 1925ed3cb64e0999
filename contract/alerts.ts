import { Type, type Static } from 'typebox';
import { EmailAddress, nullable, oneLine, pageOf, Time, Uuid } from './schema.ts';

/** What a rule looks at: whole runs (also those that end without any job), single jobs, or both. */
export const ruleEvents = ['run', 'job'] as const;
export type RuleEvent = (typeof ruleEvents)[number];

/** Conclusions that a rule can wait for. */
export const ruleConclusions = [
  'failure',
  'timed_out',
  'startup_failure',
  'action_required',
  'cancelled',
  'stale',
] as const;
export type RuleConclusion = (typeof ruleConclusions)[number];

/** What a new rule waits for unless told otherwise. */
export const defaultConclusions = [
  'failure',
  'timed_out',
  'startup_failure',
  'action_required',
] as const satisfies readonly RuleConclusion[];

/** How often a rule speaks while a workflow stays broken on a branch. */
export const notifyModes = ['incident', 'every_failure'] as const;
export type NotifyMode = (typeof notifyModes)[number];

export const channelTypes = ['email', 'slack', 'teams', 'discord', 'webhook'] as const;
export type ChannelType = (typeof channelTypes)[number];

/** Fields of a rule that hold patterns. */
export const patternNames = ['repositories', 'workflows', 'jobs', 'branches', 'actors'] as const;
export type PatternName = (typeof patternNames)[number];

/** All patterns of a rule together: every run and job that ends may be held against each of them. */
export const mostPatternCharacters = 3000;

const Glob = Type.String({ minLength: 1, maxLength: 200 });
const globs = Type.Array(Glob, { maxItems: 50 });

/**
 * Patterns over a name, upper and lower case alike: `*` is any text without `/`, `**` any text, `?` one character. An
 * empty `include` takes everything; `exclude` wins.
 */
export const GlobFilter = Type.Object({ include: globs, exclude: globs }, { additionalProperties: false });
export type GlobFilter = Static<typeof GlobFilter>;

/** Everything of a rule but where it sends to. */
const ruleFields = {
  name: oneLine(100),
  enabled: Type.Boolean(),
  events: Type.Array(Type.Enum([...ruleEvents]), { minItems: 1, maxItems: 2, uniqueItems: true }),
  conclusions: Type.Array(Type.Enum([...ruleConclusions]), {
    minItems: 1,
    maxItems: ruleConclusions.length,
    uniqueItems: true,
  }),
  repositories: GlobFilter,
  /** Over the workflow's name; `/` is a character like any other here and in `jobs`. */
  workflows: GlobFilter,
  /** Over the job's name; a run is not asked. */
  jobs: GlobFilter,
  /** Over the branch; the branch of a fork is `owner:branch`. */
  branches: GlobFilter,
  actors: GlobFilter,
  /** Leave out what accounts ending in `[bot]` started. */
  ignoreBots: Type.Boolean(),
  /** Leave out re-runs. */
  firstAttemptOnly: Type.Boolean(),
  notifyOnRecovery: Type.Boolean(),
  /**
   * `incident`: one message when a workflow breaks on a branch. `every_failure`: one for each failure that matches;
   * `cooldownMinutes` limits these too, and 0 sends every one.
   */
  notify: Type.Enum([...notifyModes]),
  /**
   * After a message about a workflow on a branch, no other message of this rule about it for so long: what broke meanwhile and
   * is red then is told of then.
   */
  cooldownMinutes: Type.Integer({ minimum: 0, maximum: 10_080 }),
};

/**
 * A channel as a person enters it. `channelId` names one the rule has already: then `url` may be left out to keep the
 * stored one, since it is never shown again.
 */
export const ChannelInput = Type.Object(
  {
    channelId: Type.Optional(Uuid),
    type: Type.Enum([...channelTypes]),
    /** For `email`, and only for it. */
    to: Type.Optional(Type.Array(EmailAddress, { minItems: 1, maxItems: 20, uniqueItems: true })),
    /** For all others. https only. */
    url: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
    /** For `webhook`: give it a new signing secret, shown once in the answer. A new channel always gets one. */
    renewSecret: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type ChannelInput = Static<typeof ChannelInput>;

export const RuleBody = Type.Object(
  { ...ruleFields, channels: Type.Array(ChannelInput, { maxItems: 10 }) },
  { additionalProperties: false },
);
export type RuleBody = Static<typeof RuleBody>;

const everything: GlobFilter = { include: [], exclude: [] };

/** What a rule is that says no more than its name: every bad end, of everything. */
const ruleDefaults: Omit<RuleBody, 'name'> = {
  enabled: true,
  events: [...ruleEvents],
  conclusions: [...defaultConclusions],
  repositories: everything,
  workflows: everything,
  jobs: everything,
  branches: everything,
  actors: everything,
  ignoreBots: false,
  firstAttemptOnly: false,
  notifyOnRecovery: true,
  notify: 'incident',
  cooldownMinutes: 30,
  channels: [],
};

/** A rule as it is sent; what is left out is as `ruleDefaults` says. */
export const RuleInput = Type.Object(
  { ...Type.Partial(RuleBody).properties, name: ruleFields.name },
  { additionalProperties: false },
);
export type RuleInput = Static<typeof RuleInput>;

export function completeRule(input: RuleInput): RuleBody {
  return { ...ruleDefaults, ...input };
}

/** A channel as it is read: the URL is write-only, only its host is told. */
export const Channel = Type.Object({
  channelId: Uuid,
  type: Type.Enum([...channelTypes]),
  to: nullable(Type.Array(Type.String())),
  host: nullable(Type.String()),
  /** `whsec_...` in the answer that made it, null ever after. */
  signingSecret: nullable(Type.String()),
});
export type Channel = Static<typeof Channel>;

export const NotificationRule = Type.Object({
  ruleId: Uuid,
  ...ruleFields,
  channels: Type.Array(Channel),
  createdAt: Time,
  updatedAt: Time,
  /** When it last sent something; null when it never has. */
  lastSentAt: nullable(Time),
  /** Incidents that it told of in the last 30 days. */
  firedIn30Days: Type.Integer(),
});
export type NotificationRule = Static<typeof NotificationRule>;

/** All of them; an integration has at most `mostRules`. */
export const NotificationRulePage = pageOf(NotificationRule);
export const mostRules = 50;

/** For each integration; each address counts. */
export const mostTestMessagesPerHour = 200;

/** What one channel answered to a test message. */
export const TestSendResult = Type.Object({
  channelId: Uuid,
  type: Type.Enum([...channelTypes]),
  target: Type.String(),
  sent: Type.Boolean(),
  statusCode: nullable(Type.Integer()),
  problem: nullable(Type.String()),
  tookMs: Type.Integer(),
});
export type TestSendResult = Static<typeof TestSendResult>;

export const TestSendAnswer = Type.Object({ results: Type.Array(TestSendResult) });
export type TestSendAnswer = Static<typeof TestSendAnswer>;
