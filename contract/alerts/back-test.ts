import { Type, type Static } from 'typebox';
import { Failure } from './incidents.ts';
import { nullable, Time } from '../base/schema.ts';

export const backTestDays = 30;

/** An incident that the rule would have sent notifications about. */
export const BackTestSample = Type.Object({
  /** As that of an incident. */
  subject: nullable(Type.String()),
  repository: Type.String(),
  workflow: nullable(Type.String()),
  branch: nullable(Type.String()),
  failure: Failure,
  failedRuns: Type.Integer(),
  failedJobs: Type.Integer(),
  /** About its failures, on each channel. */
  messages: Type.Integer(),
  /** It recovered before the cooldown ended, so no notification would have been sent. */
  heldBack: Type.Boolean(),
  recoveredAt: nullable(Time),
  redMs: nullable(Type.Integer()),
});
export type BackTestSample = Static<typeof BackTestSample>;

export const BackTestAnswer = Type.Object({
  days: Type.Integer(),
  /** History was looked at from here on: later than `days` ago when there is very much of it. */
  from: Time,
  /** Messages that would have been sent about failures, per channel. */
  fired: Type.Integer(),
  /** Of `fired`: those about failures of one run that passed when it was run again. They are probably flaky. */
  passedOnRerun: Type.Integer(),
  /** Messages of recovery, per channel. */
  recovered: Type.Integer(),
  /** Messages that were not sent, as the workflow was green again before the cooldown had passed. */
  heldBack: Type.Integer(),
  incidents: Type.Integer(),
  /** Those that are open now and recent enough to be notified about when the rule is saved. */
  redNow: Type.Integer(),
  /** Runs and jobs that match. */
  matches: Type.Integer(),
  /** The newest incidents, at most 20. */
  samples: Type.Array(BackTestSample),
  /** The digest that a rule about it would send now, as its text. Null for other rules, and when there is nothing to say. */
  digest: nullable(
    Type.Object({
      title: Type.String(),
      facts: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
    }),
  ),
});
export type BackTestAnswer = Static<typeof BackTestAnswer>;
