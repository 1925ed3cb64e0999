import { Type, type Static } from 'typebox';
import { nullable, Uuid } from '../base/schema.ts';
import { Assessment } from './failures.ts';

/** What is known about a workflow that is red, with an incident or without one. */

const text = Type.String();
const optionalText = nullable(text);

/** The job of a failed run that failed first. */
export const FailingJob = Type.Object({
  job: text,
  step: optionalText,
  /** The line of the log that represents the failure; null when the log was not read. */
  errorLine: optionalText,
  /** How many jobs failed. */
  jobs: Type.Integer(),
  /** Tests that failed in the run, as reports told: those that are broken on the default branch first, the newest of them first. */
  tests: Type.Array(Type.Object({ testId: Uuid, name: text })),
  /** How many there are. */
  failedTests: Type.Integer(),
  /** Null until the reason of the failure is stored. */
  assessment: nullable(Assessment),
});
export type FailingJob = Static<typeof FailingJob>;

/** Tests that are named for a failing job. */
export const maxNamedTests = 3;
