import {
  mostDeploymentSources,
  type DeploymentSource,
  type DeploymentSourceBody,
  type DeploymentSourcePage,
} from '#contract/metrics/deployments.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError, invalidField } from '#platform/runtime/app-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { countStreamChange } from '#server/realtime/outbox/read-position.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import { hasRun } from '#server/runs/read-run.ts';
import {
  deleteSource,
  insertSource,
  listEnvironments,
  listSetSources,
  lockSources,
  type SetSourceRow,
  type SourceRow,
} from './source-store.ts';

export type DeploymentDeps = Pick<SharedDeps, 'db' | 'clock'>;

/** What is declared, and the environments that may be. */
export async function readSources(tx: Tx, integrationId: string): Promise<DeploymentSourcePage> {
  const [sources, environments] = await Promise.all([
    listSetSources(tx, integrationId),
    listEnvironments(tx, integrationId),
  ]);
  return {
    items: sources.map(sourceObject),
    nextCursor: null,
    environments: environments.map(({ lastAt, ...each }) => ({ ...each, lastAt: lastAt.toISOString() })),
  };
}

/**
 * Declares an environment, workflow or job as production. What is declared stays so.
 * @throws AppError `invalid_request` unless it is one of them; `not_found` for a workflow without a run; `conflict` when too many are declared
 */
export function declareSource(
  { db }: DeploymentDeps,
  actor: Actor,
  body: DeploymentSourceBody,
): Promise<DeploymentSource> {
  const { integrationId, actorId } = actor;
  const given = namedIn(body);
  const { repository, workflow } = given;
  return withRole(db, actor, 'admin', async (tx) => {
    await lockSources(tx, integrationId);
    if (
      repository !== null &&
      workflow !== null &&
      !(await hasRun(tx, integrationId, { repository, workflow }))
    )
      throw new AppError('not_found', { detail: 'The repository has no run of this workflow.' });
    const isNew = await insertSource(tx, integrationId, given, actorId);
    const sources = await listSetSources(tx, integrationId);
    if (sources.length > mostDeploymentSources)
      throw new AppError('conflict', {
        detail: `The limit of ${mostDeploymentSources} environments and workflows is reached. Remove one first.`,
      });
    if (isNew) await noteChange(tx, actor, given, 'counts as production');
    return sourceObject(sources.find((each) => nameOf(each) === nameOf(given))!);
  });
}

/** @throws AppError `not_found` */
export async function removeSource({ db }: DeploymentDeps, actor: Actor, sourceId: string): Promise<void> {
  await withRole(db, actor, 'admin', async (tx) => {
    const removed = await deleteSource(tx, actor.integrationId, sourceId);
    if (removed === undefined) throw new AppError('not_found', { detail: 'This is not declared.' });
    await noteChange(tx, actor, removed, 'no longer counts as production');
  });
}

type Named = Omit<SourceRow, 'sourceId'>;

function namedIn({ environment, repository, workflow, job }: DeploymentSourceBody): Named {
  const ofWorkflow = [repository, workflow, job].filter((each) => each !== undefined);
  if (environment !== undefined) {
    if (ofWorkflow.length > 0)
      throw invalidField('environment', 'stands alone: an environment is one of all repositories');
  } else if (repository === undefined || workflow === undefined)
    throw invalidField('environment', 'is required, or repository and workflow');
  return {
    environment: environment ?? null,
    repository: repository ?? null,
    workflow: workflow ?? null,
    job: job ?? null,
  };
}

async function noteChange(
  tx: Tx,
  actor: Actor,
  { environment, repository, workflow, job }: Named,
  what: string,
): Promise<void> {
  const names = await readShownNames(tx, [actor.integrationId]);
  const shown = names.show(actor.integrationId, { environment, repository, workflow, job });
  await addLogEntry(tx, {
    ...actor,
    type: 'integration.deployments_declared',
    title: `${nameOf(shown)} ${what}`,
    details: shown,
  });
  // Cached answers contain deployments.
  await countStreamChange(tx, actor.integrationId);
}

const nameOf = ({ environment, repository, workflow, job }: Named): string =>
  environment === null
    ? `${job === null ? '' : `The job ${job} of `}${workflow} of ${repository}`
    : `The environment “${environment}”`;

function sourceObject({ setAt, setBy, name, ...row }: SetSourceRow): DeploymentSource {
  return { ...row, setAt: setAt.toISOString(), setBy: setBy === null ? null : { userId: setBy, name } };
}
