/** The filters of the list of runs that compare properties of a run with one or more values. */
export const runFacets = [
  'repository',
  'workflow',
  'branch',
  'status',
  'conclusion',
  'actor',
  'event',
] as const;
export type RunFacet = (typeof runFacets)[number];

/** Lengths in UTF-16 code units. */
export const maxFilterLength = 1000;
export const maxSearchLength = 255;

/** The fields of a run that differ between its attempts. Without a schema, because the web app picks them too. */
export const attemptFields = [
  'attempt',
  'status',
  'conclusion',
  'triggeringActor',
  'startedAt',
  'completedAt',
  'durationMs',
  'supersededBy',
] as const;
