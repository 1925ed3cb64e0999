import { fewestForRate, type Deployment, type Deployments } from '#contract/metrics/deployments.ts';
import type { Tx } from '#platform/database/database.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { showTime } from '#platform/runtime/times.ts';
import {
  readDeployments,
  type DeploymentSpan,
  type ReadDeployment,
} from '#server/deployments/read-deployments.ts';
import { percentilesOf } from './percentiles.ts';

/** How often production was deployed to, what failed, and how long merged pull requests waited for it. Null when nothing is declared. */
export async function readDeploymentFigures(
  tx: Tx,
  integrationId: string,
  span: DeploymentSpan,
  limit: number,
): Promise<Deployments | null> {
  const read = await readDeployments(tx, integrationId, span);
  if (read === undefined) return null;
  const { since } = read;
  const items = read.items.toReversed();
  const deployed = items.filter((each) => each.deployed !== null);
  const pulls = deployed.flatMap(deployedPulls);
  const knownMs = span.to - Math.max(span.from, since ?? span.from);
  return {
    deployed: since === null ? null : deployed.length,
    perWeek:
      deployed.length < fewestForRate ? null : deployed.length / (Math.max(knownMs, dayMs) / (7 * dayMs)),
    since: since !== null && since > span.from ? showTime(since) : null,
    notDeployed: items.length - deployed.length,
    failed: deployed.filter(({ failure }) => failure !== null).length,
    recoveries: percentilesOf(deployed.flatMap(({ recoveryMs }) => recoveryMs ?? [])),
    leadTime: percentilesOf(pulls.map(({ leadTimeMs }) => leadTimeMs)),
    unknown: deployed.filter((each) => each.pulls === null).length,
    count: items.length,
    items: items.slice(0, limit).map(deploymentObject),
    pullRequests: pulls.slice(0, limit),
  };
}

function deployedPulls({ ended, pulls }: ReadDeployment): Deployments['pullRequests'] {
  return (pulls ?? []).map(({ repository, number, title, url, mergedAt }) => ({
    repository,
    number,
    title,
    url,
    mergedAt: showTime(mergedAt),
    deployment: ended.key,
    environment: ended.environment,
    workflow: ended.workflow,
    deployedAt: showTime(ended.at),
    leadTimeMs: Math.max(0, ended.at - mergedAt),
  }));
}

function deploymentObject({
  ended: { at, url, ...fields },
  repositoryUrl,
  deployed,
  failure,
  mark,
  recoveryMs,
  contents,
  pulls,
}: ReadDeployment): Deployment {
  return {
    ...fields,
    repositoryUrl,
    at: showTime(at),
    url: fields.runId === null ? url : null,
    isRollback: deployed?.isRollback ?? false,
    failure,
    mark: mark && {
      hasFailed: mark.hasFailed,
      at: mark.markedAt.toISOString(),
      by: mark.markedBy === null ? null : { userId: mark.markedBy, name: mark.name },
    },
    recoveryMs,
    contents,
    pullRequests: pulls?.length ?? null,
  };
}
