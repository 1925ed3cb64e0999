import { Type, type Static } from 'typebox';
import { Uuid, strictObject } from '../base/schema.ts';
import { maxSearchLength } from './run-facets.ts';
import { WorkflowRun } from './runs.ts';

export const FindRunsQuery = strictObject({
  /** As in the list of runs. Without it, the newest runs are found. */
  q: Type.Optional(Type.String({ minLength: 1, maxLength: maxSearchLength })),
  /** The integration that comes first. */
  first: Type.Optional(Uuid),
});
export type FindRunsQuery = Static<typeof FindRunsQuery>;

/** Runs listed for each integration. */
export const maxFoundRuns = 5;
/** Integrations that one search reads. */
export const maxSearchedIntegrations = 40;

const FoundRuns = Type.Object({
  integrationId: Uuid,
  /** Newest first, at most `maxFoundRuns`. */
  items: Type.Array(WorkflowRun),
  /** Whether the list of runs may contain more. */
  hasMore: Type.Boolean(),
});

export const RunsByIntegration = Type.Object({
  /** Only integrations with a matching run. */
  items: Type.Array(FoundRuns),
  /** False when the caller belongs to more integrations than one search reads. */
  isComplete: Type.Boolean(),
});
export type RunsByIntegration = Static<typeof RunsByIntegration>;
