import type { Octokit } from '@octokit/core';
import { statusOf } from '#server/forges/errors.ts';
import type { RepositoryWebhook } from '#server/forges/port.ts';
import { isLastPage, partsOf, readAllPages, unlessMissing, withForgeErrors } from './octokit-calls.ts';

export async function saveGithubWebhook(
  octokit: Octokit,
  repository: string,
  webhook: RepositoryWebhook,
  webhookId: number | undefined,
): Promise<number> {
  if (webhookId !== undefined && (await changeWebhook(octokit, repository, webhook, webhookId)))
    return webhookId;
  return makeWebhook(octokit, repository, webhook);
}

export async function removeGithubWebhook(
  octokit: Octokit,
  repository: string,
  webhookId: number,
): Promise<void> {
  await unlessMissing(
    octokit.request('DELETE /repos/{owner}/{repo}/hooks/{hook_id}', {
      ...partsOf(repository),
      hook_id: webhookId,
    }),
  );
}

const body = ({ url, secret, events, isActive }: RepositoryWebhook) => ({
  active: isActive,
  events: [...events],
  config: { url, secret, content_type: 'json' },
});

/** False when the webhook does not exist, for example because somebody deleted it at the forge. */
async function changeWebhook(
  octokit: Octokit,
  repository: string,
  webhook: RepositoryWebhook,
  webhookId: number,
): Promise<boolean> {
  const changed = await unlessMissing(
    octokit.request('PATCH /repos/{owner}/{repo}/hooks/{hook_id}', {
      ...partsOf(repository),
      hook_id: webhookId,
      ...body(webhook),
    }),
  );
  return changed !== undefined;
}

/** The forge refuses a second webhook with the same URL: a manually created one is reused. */
async function makeWebhook(
  octokit: Octokit,
  repository: string,
  webhook: RepositoryWebhook,
): Promise<number> {
  try {
    const { data } = await withForgeErrors(() =>
      octokit.request('POST /repos/{owner}/{repo}/hooks', {
        ...partsOf(repository),
        name: 'web',
        ...body(webhook),
      }),
    );
    return data.id;
  } catch (error) {
    if (statusOf(error) !== 422) throw error;
    const webhooks = await readAllPages(async (page) => {
      const { data, headers } = await octokit.request('GET /repos/{owner}/{repo}/hooks', {
        ...partsOf(repository),
        page,
        per_page: 100,
      });
      return { items: data, isLast: isLastPage(headers) };
    });
    const same = webhooks.find(({ config }) => config.url === webhook.url);
    if (same === undefined || !(await changeWebhook(octokit, repository, webhook, same.id))) throw error;
    return same.id;
  }
}
