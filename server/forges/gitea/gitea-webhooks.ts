import type { Octokit } from '@octokit/core';
import { fields } from '#platform/runtime/json-fields.ts';
import { ForgeError } from '#server/forges/errors.ts';
import { partsOf, readAllPages, unlessMissing } from '#server/forges/github/octokit-calls.ts';
import type { RepositoryWebhook } from '#server/forges/port.ts';
import { callForge, listPage } from './gitea-calls.ts';

const path = '/repos/{owner}/{repo}/hooks';

/** Which events of the forge contain the event. `pull_request` alone would include comments and labels. */
const eventNames: Record<'gitea' | 'forgejo', Record<string, readonly string[]>> = {
  gitea: {
    workflow_run: ['workflow_run'],
    workflow_job: ['workflow_job'],
    pull_request: ['pull_request_only'],
    pull_request_review: ['pull_request_review'],
    // They report none.
    deployment_status: [],
  },
  forgejo: {
    workflow_run: ['action_run_success', 'action_run_failure', 'action_run_recover'],
    workflow_job: ['workflow_job'],
    pull_request: ['pull_request_only'],
    pull_request_review: ['pull_request_review'],
    deployment_status: [],
  },
};

/**
 * Creates a webhook and deletes the former one, because the API cannot change the secret of a webhook. Events that both
 * send are stored once.
 */
export async function saveGiteaWebhook(
  octokit: Octokit,
  kind: 'gitea' | 'forgejo',
  repository: string,
  { url, secret, events, isActive }: RepositoryWebhook,
  webhookId: number | undefined,
): Promise<number> {
  const former = await readAllPages((page) => listPage(octokit, path, { ...partsOf(repository), page }));
  const same = former
    .filter((hook) => fields(hook['config'])['url'] === url)
    .map((hook) => Number(hook['id']));
  const { data } = await callForge(octokit, `POST ${path}`, {
    ...partsOf(repository),
    type: kind,
    active: isActive,
    events: events.flatMap((event) => eventNames[kind][event] ?? []),
    config: { url, secret, content_type: 'json' },
  });
  const id = Number(fields(data)['id']);
  if (!Number.isSafeInteger(id)) throw new ForgeError(502, 'The forge returned a webhook without an id.');
  const known = webhookId === undefined ? same : [webhookId, ...same];
  for (const each of new Set(known)) await removeGiteaWebhook(octokit, repository, each);
  return id;
}

export async function removeGiteaWebhook(
  octokit: Octokit,
  repository: string,
  webhookId: number,
): Promise<void> {
  await unlessMissing(callForge(octokit, `DELETE ${path}/{id}`, { ...partsOf(repository), id: webhookId }));
}
