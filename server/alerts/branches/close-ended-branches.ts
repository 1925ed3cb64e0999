import type { Tx } from '#platform/database/database.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { lockEvaluation } from '#server/alerts/evaluation/completion-store.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import { placeText } from '#server/alerts/notifications/content/log-entries.ts';
import {
  closeIncidentsOf,
  deleteBranchEnd,
  dequeueBranchEnds,
  saveBranchEnd,
  type Branch,
} from './branch-end-store.ts';
import { branchOf, mergeQueueName, mergeQueuesOf } from '#contract/runs/merge-group.ts';
import { unknownFork } from '#server/runs/objects/head-repository.ts';
import { enqueueRed } from '../red-now/enqueue-red.ts';
import { announceIncidents } from '../incidents/incident-change-store.ts';

const whys = {
  pull_request_closed: 'with its pull request',
  default_branch_changed: 'because another branch became the default branch',
  base_branch_changed: 'because its pull request has another base branch',
} as const;

/**
 * The branches that end with a pull request, whatever its head is: the merge queue tests it until it is merged or taken out, and Gitea and
 * Forgejo call the branch of its runs by its number.
 */
const branchesOf = (pullRequest: number): string[] => [
  mergeQueuesOf(pullRequest),
  `#${pullRequest}`,
  `${unknownFork}:#${pullRequest}`,
];

/**
 * Closes the incidents of branches whose pull request was closed or merged, of merge queues into an earlier base branch of a pull request,
 * and of branches that were the default branch: nobody repairs them, and they would stay open. Returns the number of branches.
 */
export async function closeEndedBranches(tx: Tx, integrationId: string, limit: number): Promise<number> {
  await lockEvaluation(tx, integrationId);
  const {
    count,
    ended,
    closed: pullRequests,
    moved,
    left,
  } = await dequeueBranchEnds(tx, integrationId, limit);
  const names = await readShownNames(tx, [integrationId]);
  let closed = 0;
  const close = async (branch: Branch, at: Date, reason: keyof typeof whys, kept?: string) => {
    for (const stored of await closeIncidentsOf(tx, integrationId, branch, at, reason, kept)) {
      const incident = names.show(integrationId, stored);
      closed += 1;
      await addLogEntry(tx, {
        integrationId,
        type: 'incident.closed',
        title: `The incident of ${placeText(incident)} was closed ${whys[reason]}`,
        details: { incidentId: incident.incident_id, ...names.show(integrationId, branch), reason },
      });
    }
  };
  const end = async (branch: Branch, at: Date, reason: keyof typeof whys = 'pull_request_closed') => {
    await saveBranchEnd(tx, integrationId, branch, at);
    await close(branch, at, reason);
  };
  for (const { repository, head_repository: head, head_branch: branch, ended_at: at } of ended)
    await end({ repository, branch: branchOf(branch, head, repository) ?? branch }, at);
  for (const { repository, number, ended_at: at } of pullRequests)
    for (const branch of branchesOf(number)) await end({ repository, branch }, at);
  for (const {
    repository,
    number: pullRequest,
    base_branch: base,
    head_repository: head,
    head_branch: ofHead,
    ended_at: at,
  } of moved) {
    for (const branch of [...branchesOf(pullRequest), branchOf(ofHead, head, repository)])
      if (branch !== null) await deleteBranchEnd(tx, integrationId, { repository, branch });
    await close(
      { repository, branch: mergeQueuesOf(pullRequest) },
      at,
      'base_branch_changed',
      mergeQueueName({ base, pullRequest }),
    );
  }
  for (const { repository, branch, ended_at: at } of left)
    await end({ repository, branch }, at, 'default_branch_changed');
  for (const { repository, default_branch: branch } of left)
    if (branch !== null) await deleteBranchEnd(tx, integrationId, { repository, branch });
  if (left.length > 0)
    await enqueueRed(tx, integrationId, { repositories: left.map(({ repository }) => repository) });
  if (closed > 0) await announceIncidents(tx, integrationId);
  return count;
}
