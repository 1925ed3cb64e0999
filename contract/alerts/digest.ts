import { Type, type Static, type TSchema } from 'typebox';
import { nullable, Time, Uuid } from '../base/schema.ts';
import { changeKinds } from '../metrics/changes.ts';

const text = Type.String();
const count = Type.Integer();

/** Runs of the default branches in a week. Shares are null when no run succeeded or failed. */
const Health = Type.Object({
  runs: count,
  failed: count,
  successRate: nullable(Type.Number()),
  /** The share of runs whose first attempt succeeded. */
  firstTrySuccessRate: nullable(Type.Number()),
});

/** A list that is cut, and how many entries the whole one has. */
const cut = <T extends TSchema>(item: T) => Type.Object({ count, items: Type.Array(item) });

/** What a week was like. Lists have at most five entries. */
export const Digest = Type.Object({
  from: Time,
  to: Time,
  /** That of the rule. */
  timeZone: Type.Optional(text),
  health: Health,
  healthBefore: Health,
  /** Significant changes for the worse, of the seven days before the day of `to`. Values are shares, milliseconds or minutes. */
  changes: cut(
    Type.Object({
      kind: Type.Enum([...changeKinds]),
      repository: text,
      workflow: text,
      job: nullable(text),
      before: Type.Number(),
      after: Type.Number(),
    }),
  ),
  /** Tests whose first flake, after 14 days without one, was in this week. */
  flakyTests: cut(Type.Object({ repository: text, className: text, name: text })),
  /** Jobs that passed on a re-run in this week, and not in the 14 days before. */
  flakyJobs: cut(Type.Object({ repository: text, workflow: text, job: text })),
  /** The failure groups with the most failed jobs. */
  failures: cut(
    Type.Object({ groupId: Uuid, repository: text, job: text, errorLine: text, failures: count }),
  ),
  /** Time of failed jobs that passed on a re-run. */
  lostInJobsMs: count,
  /** Time of tries of tests that failed before a pass, of the seven days (UTC) before the day of `to`. Those of re-run jobs are a part of `lostInJobsMs`. */
  lostInTestsMs: count,
});
export type Digest = Static<typeof Digest>;

/** A notification of a rule that sends a digest. */
export const DigestNotice = Type.Object({
  integrationId: Uuid,
  rule: text,
  title: text,
  /** The page of what changed. */
  url: nullable(text),
  digest: Digest,
});
