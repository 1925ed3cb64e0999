import { Type, type Static } from 'typebox';
import { nullable, Time, TimeInput, strictObject } from '../base/schema.ts';
import { branchClasses, longestGroupName, TimeZoneInput } from './metrics.ts';

/** Steps of jobs are compared in the newest runs of a period and of the period before it: at most this many runs of each. */
export const comparedRuns = 50;
/** The slowest steps of a workflow. */
export const maxSteps = 50;

const count = Type.Integer();

/** Numbers of a step in the compared runs of a period. */
const StepNumbers = Type.Object({
  /** How often it ran. Skipped and cancelled steps do not count. */
  runs: count,
  failed: count,
  /** Null when no step succeeded or failed. */
  failedShare: nullable(Type.Number()),
  durationP50Ms: nullable(count),
  durationP95Ms: nullable(count),
});
export type StepNumbers = Static<typeof StepNumbers>;

export const StepTrend = Type.Object({
  job: Type.String(),
  /** Its name. Steps of a job with the same name count as one. */
  step: Type.String(),
  /** Null when it did not run in the period before. */
  before: nullable(StepNumbers),
  after: StepNumbers,
});
export type StepTrend = Static<typeof StepTrend>;

export const WorkflowStepsQuery = strictObject({
  repository: Type.String({ minLength: 1, maxLength: longestGroupName }),
  /** The workflow's name. */
  workflow: Type.String({ minLength: 1, maxLength: longestGroupName }),
  /** Rounded down to the hour for up to two days, else to the day. Default: a week before `to`. */
  from: Type.Optional(TimeInput),
  /** Default: now. The hour or day that contains it is included. */
  to: Type.Optional(TimeInput),
  branch: Type.Optional(Type.Enum([...branchClasses])),
  timeZone: TimeZoneInput,
});
export type WorkflowStepsQuery = Static<typeof WorkflowStepsQuery>;

export const WorkflowSteps = Type.Object({
  from: Time,
  to: Time,
  /** Start of the period before, which ends at `from`. */
  previousFrom: Time,
  /** The longest median duration first, at most `maxSteps`. */
  items: Type.Array(StepTrend),
});
export type WorkflowSteps = Static<typeof WorkflowSteps>;
