import { randomUUID } from 'node:crypto';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import { signInAsDemo } from '#test/support/identity/demo-sign-in.ts';
import { postWebhook, signature } from './post-webhook.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

export const repository = { id: 7, full_name: 'acme/site', default_branch: 'main' };

/** The run of Forgejo's `action_run_*` payloads. */
export const forgejoRun = (fields: object = {}) => ({
  id: 501,
  title: 'Fix the build',
  repository,
  workflow_id: 'test.yml',
  index_in_repo: 12,
  trigger_user: { login: 'ann', avatar_url: 'https://forge.example/ann.png' },
  prettyref: 'main',
  commit_sha: 'f'.repeat(40),
  is_fork_pull_request: false,
  event: 'push',
  trigger_event: 'push',
  status: 'success',
  started: '2026-11-20T10:00:10Z',
  stopped: '2026-11-20T10:01:10Z',
  created: '2026-11-20T10:00:00Z',
  updated: '2026-11-20T10:01:10Z',
  html_url: 'https://forge.example/acme/site/actions/runs/12',
  ...fields,
});

/** The whole product, Gitea and Forgejo in front of it, and somebody signed in. */
export async function startBesideOtherForges() {
  const program = await startTestProgram();
  const { baseUrl, publicUrl } = program;
  const browser = await signInAsDemo(publicUrl);
  return {
    ...program,
    browser,
    /** As they send it: their own headers beside those of GitHub. */
    deliver: (
      integration: { integrationId: string; webhookSecret: string },
      forge: 'gitea' | 'forgejo',
      event: string,
      payload: object,
      deliveryId: string = randomUUID(),
    ): Promise<Response> => {
      const own = forge === 'forgejo' ? { 'x-forgejo-event': event, 'x-forgejo-delivery': deliveryId } : {};
      const bare = signature(integration.webhookSecret, JSON.stringify(payload)).slice('sha256='.length);
      const gitea = { 'x-gitea-event': event, 'x-gitea-delivery': deliveryId, 'x-gitea-signature': bare };
      const headers = { ...own, ...gitea };
      return postWebhook(baseUrl, integration, { event, payload, deliveryId, headers });
    },
    /** The run, once it is stored. */
    runOf: (integrationId: string, runId: number): Promise<WorkflowRun> =>
      waitUntil('the run', async () => {
        const url = `${publicUrl}/api/integrations/${integrationId}/workflows/${runId}`;
        const answer = await browser.fetch(url);
        return answer.status === 200 && ((await answer.json()) as { run: WorkflowRun }).run;
      }),
  };
}
