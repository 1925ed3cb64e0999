import { Type, type Static } from 'typebox';
import { nullable } from '../base/schema.ts';
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
  /** Null until the reason of the failure is stored. */
  assessment: nullable(Assessment),
});
export type FailingJob = Static<typeof FailingJob>;
