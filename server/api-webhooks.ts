import { webhookPayloads } from '#contract/integrations/webhook-payloads.ts';
import { webhookTypes, type WebhookType } from '#contract/integrations/webhook-types.ts';

const summaries: Record<WebhookType, string> = {
  'run.completed': 'An attempt of a run completed',
  'failure_group.opened': 'A job failed with a cause that no stored failure of the repository has',
  'test.broken': 'A test fails on the default branch without a pass since',
  'test.flaky': 'A test failed and passed on one commit, or flips on the default branch',
  'member.added': 'A person became a member of the integration',
  'member.removed': 'A person is no member of the integration any more',
  'member.role_changed': 'A member has another role',
  'incident.opened': 'A workflow broke on a branch, and a notification rule matches',
  'incident.failed_again': 'A workflow that is broken on a branch failed again',
  'incident.closed': 'A workflow recovered on a branch',
  'digest.created': 'A rule sends the digest of a week',
  test: 'A person asked for a test of a subscription or notification rule',
};

const description = 'Signed after Standard Webhooks. Ignore unknown fields.';

/** What the service sends to webhook subscriptions and to the webhook channels of notification rules, as OpenAPI describes it. */
export const apiWebhooks = Object.fromEntries(
  webhookTypes.map((type) => [
    type,
    {
      post: {
        operationId: `webhook${type
          .split(/[._]/)
          .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
          .join('')}`,
        summary: summaries[type],
        description,
        tags: ['webhooks'],
        security: [],
        requestBody: { required: true, content: { 'application/json': { schema: webhookPayloads[type] } } },
        responses: {
          '2XX': { description: 'Received' },
          '410': { description: 'Disables a subscription' },
        },
      },
    },
  ]),
);
