import assert from 'node:assert/strict';
import type { NotificationRule, RuleBody } from '#contract/alerts/alerts.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { jobPayload, runPayload } from '#test/support/data/forge-events.ts';
import { signInAsOwner } from '#test/support/identity/owner-client.ts';
import { startMailServer, type ReceivedMail } from '#test/support/network/mail-server.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { ruleBody } from './rule-body.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';

/** Starts the whole product with its own mail server. Calls are made as the owner. */
export async function startAlertProgram(env: NodeJS.ProcessEnv = {}) {
  const mailServer = await startMailServer();
  const program = await startTestProgram({ SMTP_URL: mailServer.url, ...env });
  const { baseUrl, publicUrl } = program;
  const owner = await signInAsOwner(publicUrl);

  const call = ({ integrationId }: CreatedIntegration, method: string, path: string, body?: object) =>
    owner.call(method, integrationId, `/${path}`, body);
  return {
    program,
    call,
    items: <T>({ integrationId }: CreatedIntegration, path: string): Promise<T[]> =>
      owner.items<T>(integrationId, `/${path}`),
    addRule: async (
      integration: CreatedIntegration,
      fields: Partial<RuleBody>,
    ): Promise<NotificationRule> => {
      const answer = await call(integration, 'POST', 'notification-rules', ruleBody(fields));
      assert.equal(answer.status, 201, await answer.clone().text());
      return (await answer.json()) as NotificationRule;
    },
    post: async (integration: CreatedIntegration, event: string, payload: object): Promise<void> => {
      const { status } = await postWebhook(baseUrl, integration, { event, payload });
      assert.equal(status, 200);
    },
    mailsTo: (address: string): ReceivedMail[] => mailServer.mails.filter(({ to }) => to.includes(address)),
  };
}

const startedAt = Date.now() - 600_000;
/** Recent times: rules ignore older completions of a replay. */
export const seconds = (count: number): string => new Date(startedAt + count * 1000).toISOString();

export function endOfRun(id: number, conclusion: string, at: number, more: object = {}) {
  return runPayload({
    id,
    name: 'CI',
    head_branch: 'main',
    status: 'completed',
    conclusion,
    display_title: 'Fix <b>everything</b>',
    created_at: seconds(at - 60),
    run_started_at: seconds(at - 60),
    updated_at: seconds(at),
    ...more,
  });
}

export function endOfJob(runId: number, id: number, conclusion: string, at: number) {
  return jobPayload({
    id,
    run_id: runId,
    name: `test (${id})`,
    workflow_name: 'CI',
    head_branch: 'main',
    status: 'completed',
    conclusion,
    completed_at: seconds(at),
  });
}
