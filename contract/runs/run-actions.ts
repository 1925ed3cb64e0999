import { Type, type Static } from 'typebox';
import { strictObject } from '../base/schema.ts';

/** What can be done to a run at the forge. */
export const RunActions = Type.Object({
  /** Whether the integration has a connection that sees the repository of the run. */
  isConnected: Type.Boolean(),
});
export type RunActions = Static<typeof RunActions>;

export const RerunBody = strictObject({
  /** Failed jobs with the jobs that depend on them, all jobs, or one job with those that depend on it. */
  scope: Type.Enum(['failed', 'all', 'job']),
  /** Only for the scope `job`, and needed there. */
  jobId: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
});
export type RerunBody = Static<typeof RerunBody>;
