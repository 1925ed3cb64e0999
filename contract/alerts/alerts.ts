import { Type, type Static } from 'typebox';
import { redConclusions, ruleConclusions } from '../runs/conclusions.ts';
import { EmailAddress, nullable, oneLine, pageOf, Time, Uuid, strictObject } from '../base/schema.ts';
import { TimeZone } from '../metrics/metrics.ts';

/** What a rule evaluates: runs (also those without any job), jobs, or both. */
export const ruleEvents = ['run', 'job'] as const;
export type RuleEvent = (typeof ruleEvents)[number];

/**
 * What opens an incident: completed runs and jobs (`failure`), or what did not happen. `did_not_run`: a workflow that runs on a
 * rhythm. `queued_too_long`: jobs that wait for a runner. `got_slower`: a workflow or job. `test_broken`: a test that fails on the
 * default branch. `test_flaky`: a test that fails and passes on one commit.
 */
export const incidentKinds = [
  'failure',
  'did_not_run',
  'queued_too_long',
  'got_slower',
  'test_broken',
  'test_flaky',
] as const;
export type IncidentKind = (typeof incidentKinds)[number];

/** What a rule watches. `weekly_digest` opens no incident: it sends what a week was like. */
export const ruleWatches = [...incidentKinds, 'weekly_digest'] as const;
export type RuleWatch = (typeof ruleWatches)[number];

/** What `got_slower` compares. */
export const slowerSubjects = ['workflow', 'job'] as const;
export type SlowerSubject = (typeof slowerSubjects)[number];

export const digestDays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export type DigestDay = (typeof digestDays)[number];

/** How often a rule notifies while a workflow stays broken on a branch. */
export const notifyModes = ['incident', 'every_failure'] as const;
export type NotifyMode = (typeof notifyModes)[number];

/**
 * Which failures a rule matches, by the group of their cause. `unmarked`: none that is marked as known flaky or ignored.
 * `new_on_default_branch`: those on the default branch whose group had no failure there before, and that are not marked either. A failure
 * whose group is not known counts as new and unmarked.
 */
export const groupChoices = ['all', 'unmarked', 'new_on_default_branch'] as const;
export type GroupChoice = (typeof groupChoices)[number];

/** `owner`: a mail to the owner of the workflow. It has neither addresses nor a URL. */
export const channelTypes = ['email', 'owner', 'slack', 'teams', 'discord', 'webhook'] as const;
export type ChannelType = (typeof channelTypes)[number];

/** The fields of a rule that contain patterns. */
export const patternNames = ['repositories', 'workflows', 'jobs', 'branches', 'actors'] as const;
export type PatternName = (typeof patternNames)[number];

/** The limit for all patterns of a rule together: each may be evaluated for every completed run and job. */
export const mostPatternCharacters = 3000;

const Glob = Type.String({ minLength: 1, maxLength: 200 });
const globs = Type.Array(Glob, { maxItems: 50 });

/**
 * Case-insensitive patterns for a name: `*` matches any text except `/`, `**` any text, `?` one character. An empty
 * `include` matches everything; `exclude` wins.
 */
export const GlobFilter = strictObject({ include: globs, exclude: globs });
export type GlobFilter = Static<typeof GlobFilter>;

/** The fields of a rule without its channels. */
const ruleFields = {
  name: oneLine(100),
  enabled: Type.Boolean(),
  /** `events`, `conclusions`, `actors` and the fields about runs count only for `failure`. */
  watch: Type.Enum([...ruleWatches]),
  /** For `did_not_run`: at least one run in this time. Null: the rhythm of the workflow's scheduled runs. */
  everyHours: nullable(Type.Integer({ minimum: 1, maximum: 720 })),
  /** For `queued_too_long`. One incident for each label. */
  queueMinutes: Type.Integer({ minimum: 1, maximum: 1440 }),
  /** For `queued_too_long`: only jobs with one of these labels; all if empty. */
  labels: Type.Array(oneLine(100), { maxItems: 20, uniqueItems: true }),
  slowerSubject: Type.Enum([...slowerSubjects]),
  /** For `got_slower`: by how much the median of the last `slowerRuns` runs exceeds the median of 30 days. */
  slowerPercent: Type.Integer({ minimum: 10, maximum: 1000 }),
  slowerRuns: Type.Integer({ minimum: 3, maximum: 50 }),
  /** For `weekly_digest`: sent once a week at this hour of this day. Of the patterns only `repositories` counts. */
  digestDay: Type.Enum([...digestDays]),
  digestHour: Type.Integer({ minimum: 0, maximum: 23 }),
  /** An IANA time zone, for example `Europe/Berlin`. */
  timeZone: TimeZone,
  events: Type.Array(Type.Enum([...ruleEvents]), { minItems: 1, maxItems: 2, uniqueItems: true }),
  conclusions: Type.Array(Type.Enum([...ruleConclusions]), {
    minItems: 1,
    maxItems: ruleConclusions.length,
    uniqueItems: true,
  }),
  repositories: GlobFilter,
  /** Matches the name of the workflow. Here and in `jobs`, `*` also matches `/`. */
  workflows: GlobFilter,
  /** Matches the name of a job; ignored for runs. */
  jobs: GlobFilter,
  /** Matches the branch; the branch of a fork is `owner:branch`. */
  branches: GlobFilter,
  /** Matches only the default branch of each repository. `branches` narrows it further. */
  defaultBranchOnly: Type.Boolean(),
  actors: GlobFilter,
  /** Counts only for `failure`. A run matches if one of its failed jobs does. */
  failureGroups: Type.Enum([...groupChoices]),
  /** Ignore failures in which only tests in quarantine failed, as the reports of the jobs say. */
  ignoreQuarantined: Type.Boolean(),
  /** Ignore runs started by accounts whose name ends in `[bot]`. */
  ignoreBots: Type.Boolean(),
  /** Ignore re-runs. */
  firstAttemptOnly: Type.Boolean(),
  notifyOnRecovery: Type.Boolean(),
  /**
   * `incident`: one notification when a workflow breaks on a branch. `every_failure`: one for each failure that matches,
   * limited by `cooldownMinutes`; 0 sends every one.
   */
  notify: Type.Enum([...notifyModes]),
  /**
   * Minimum time between two notifications of this rule about the same workflow and branch. A failure in between is notified
   * at the end of this time if the branch is still broken.
   */
  cooldownMinutes: Type.Integer({ minimum: 0, maximum: 10_080 }),
};

/**
 * A channel as a person enters it. With the `channelId` of an existing channel, `url` may be omitted to keep the stored
 * URL, which is never returned.
 */
export const ChannelInput = strictObject({
  channelId: Type.Optional(Uuid),
  /** A channel of any rule of the integration, whose URL or addresses a new channel takes. */
  copyOf: Type.Optional(Uuid),
  type: Type.Enum([...channelTypes]),
  /** Only for `email`. */
  to: Type.Optional(Type.Array(EmailAddress, { minItems: 1, maxItems: 20, uniqueItems: true })),
  /** For all other types but `owner`. HTTPS only. */
  url: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
  /** For `webhook`: create a new signing secret, returned only once. A new channel always gets one. */
  renewSecret: Type.Optional(Type.Boolean()),
});
export type ChannelInput = Static<typeof ChannelInput>;

export const RuleBody = strictObject({ ...ruleFields, channels: Type.Array(ChannelInput, { maxItems: 10 }) });
export type RuleBody = Static<typeof RuleBody>;

const everything: GlobFilter = { include: [], exclude: [] };

/** The defaults match every failure of every workflow. */
const ruleDefaults: Omit<RuleBody, 'name'> = {
  enabled: true,
  watch: 'failure',
  everyHours: null,
  queueMinutes: 15,
  labels: [],
  slowerSubject: 'workflow',
  slowerPercent: 50,
  slowerRuns: 10,
  digestDay: 'monday',
  digestHour: 9,
  timeZone: 'UTC',
  events: [...ruleEvents],
  conclusions: [...redConclusions],
  repositories: everything,
  workflows: everything,
  jobs: everything,
  branches: everything,
  defaultBranchOnly: false,
  actors: everything,
  failureGroups: 'all',
  ignoreQuarantined: false,
  ignoreBots: false,
  firstAttemptOnly: false,
  notifyOnRecovery: true,
  notify: 'incident',
  cooldownMinutes: 30,
  channels: [],
};

/** A rule in a request. Omitted fields take the values of `ruleDefaults`. */
export const RuleInput = strictObject({ ...Type.Partial(RuleBody).properties, name: ruleFields.name });
export type RuleInput = Static<typeof RuleInput>;

export function completeRule(input: RuleInput): RuleBody {
  return { ...ruleDefaults, ...input };
}

/** A channel in a response. The URL is write-only; only its host is returned. */
export const Channel = Type.Object({
  channelId: Uuid,
  type: Type.Enum([...channelTypes]),
  to: nullable(Type.Array(Type.String())),
  host: nullable(Type.String()),
  /** `whsec_...` in the response that created it, otherwise null. */
  signingSecret: nullable(Type.String()),
});
export type Channel = Static<typeof Channel>;

export const NotificationRule = Type.Object({
  ruleId: Uuid,
  ...ruleFields,
  channels: Type.Array(Channel),
  createdAt: Time,
  updatedAt: Time,
  /** When it last sent a notification; null if it never did. */
  lastSentAt: nullable(Time),
  /** Incidents that it notified about in the last 30 days. */
  firedIn30Days: Type.Integer(),
  /** Channels that refused or did not answer since they last accepted a notification, tests included; null if all work. */
  failing: nullable(
    Type.Object({
      channels: Type.Integer(),
      /** The first failure of them. */
      since: Time,
      /** Why the last notification was not accepted. */
      problem: Type.String(),
    }),
  ),
});
export type NotificationRule = Static<typeof NotificationRule>;

/** Workflows that a saved rule notifies about at once are at most this many, the newest failures first. */
export const mostRedNow = 50;

/** The answer to saving a rule. */
export const SavedRule = Type.Object({
  ...NotificationRule.properties,
  /**
   * How many workflows are red at this moment without a notification of this rule. It notifies about each of them once, and opens an
   * incident where none is open. Null if they could not be determined.
   */
  notifiesNow: nullable(Type.Integer()),
});
export type SavedRule = Static<typeof SavedRule>;

/** All rules: an integration has at most `mostRules`. */
export const NotificationRulePage = pageOf(NotificationRule);
export const mostRules = 50;

/** For each integration; each address counts. */
export const mostTestMessagesPerHour = 200;

/** The result of a test message on one channel. */
export const TestSendResult = Type.Object({
  /** Of a channel that is not saved, an id of this answer only. */
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
