import { Type, type Static } from 'typebox';
import { nullable, Uuid } from '../base/schema.ts';
import { Blame } from '../failures/blame.ts';
import { Assessment } from '../failures/failures.ts';
import { Failure, Incident } from './incidents.ts';

const optionalText = nullable(Type.String());

/** Why a job failed, as notifications show it. */
export const NotifiedReason = Type.Object({
  jobId: Type.Integer(),
  job: Type.String(),
  step: optionalText,
  errorLine: Type.String(),
  groupId: Uuid,
  /** Null in the notification of a recovery. */
  assessment: nullable(Assessment),
});
export type NotifiedReason = Static<typeof NotifiedReason>;

/** The facts of an incident. `redMs` is null while it is open. */
export const IncidentFacts = Type.Object({
  ...Type.Pick(Incident, [
    'incidentId',
    'kind',
    'subject',
    'repository',
    'workflow',
    'branch',
    'failedRuns',
    'failedJobs',
    'firstFailure',
    'lastFailure',
    'openedAt',
    'closedAt',
  ]).properties,
  redMs: nullable(Type.Integer()),
});
export type IncidentFacts = Static<typeof IncidentFacts>;

/** A notification about an incident. */
export const IncidentNotice = Type.Object({
  integrationId: Uuid,
  rule: Type.String(),
  title: Type.String(),
  /** The page of the run or job at the forge. About tests: the page of the test here, or of the run if several changed in it. */
  url: optionalText,
  /** The failure that matched the rule: not always the first or last one of the incident. */
  failure: Failure,
  /** Null when it is not known. */
  reason: nullable(NotifiedReason),
  /** Which commit made the workflow red; null when it is green again, or not known. */
  blame: nullable(Blame),
  incident: IncidentFacts,
});
