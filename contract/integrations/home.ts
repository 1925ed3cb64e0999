import { Type, type Static } from 'typebox';
import { Incident, Triage } from '../alerts/incidents.ts';
import { nullable, Time, Uuid } from '../base/schema.ts';
import { roles } from '../members/roles.ts';
import { Attention } from '../metrics/overview.ts';
import { PullRequestItem } from '../runs/pull-requests.ts';
import { WorkflowRun } from '../runs/runs.ts';

/** What concerns a person, in all their integrations. */

/** Integrations that are read. */
export const maxHomeIntegrations = 40;
/** Entries of each list. */
export const maxHomeItems = 20;
/** Older failed runs are not listed. */
export const homeFailedDays = 14;

const count = Type.Integer();
const ownRun = Type.Object({ integrationId: Uuid, run: WorkflowRun });

/** The state of an integration in numbers. */
const HomeIntegration = Type.Object({
  integrationId: Uuid,
  label: Type.String(),
  role: Type.Enum([...roles]),
  /** Workflows with a result on their default branch, and how many of them are red. */
  workflows: count,
  red: count,
  /** Runs at this moment. */
  running: count,
  waiting: count,
  /** When the newest run was created; null without a run. */
  lastRunAt: nullable(Time),
});
export type HomeIntegration = Static<typeof HomeIntegration>;

export const Home = Type.Object({
  /** The caller's account at the forge; null when it is not known. Without it, nothing is known of their runs and pull requests. */
  forgeLogin: nullable(Type.String()),
  /**
   * Open incidents that the caller is assigned to, else has acknowledged, else whose workflow they own, and that are not snoozed. Newest
   * first.
   */
  waiting: Type.Array(Type.Object({ integrationId: Uuid, incident: Incident })),
  /** Runs of the caller that are not completed, newest first. */
  running: Type.Array(ownRun),
  /** Failed runs of the caller without a newer run of their workflow on their branch, newest first. */
  failed: Type.Array(ownRun),
  /** Open pull requests of the caller, those that need attention first. */
  pullRequests: Type.Array(Type.Object({ integrationId: Uuid, pullRequest: PullRequestItem })),
  /**
   * Workflows that are red on their default branch, longest red first, without those whose incident a person closed. The incident is null
   * for some seconds after the first failure.
   */
  red: Type.Array(Type.Object({ integrationId: Uuid, workflow: Attention, incident: nullable(Triage) })),
  /** By name. */
  integrations: Type.Array(HomeIntegration),
  /** False when the caller belongs to more integrations than are read. */
  isComplete: Type.Boolean(),
});
export type Home = Static<typeof Home>;
