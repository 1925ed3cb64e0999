import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { Value } from 'typebox/value';
import { webhookPayloads } from '#contract/integrations/webhook-payloads.ts';
import { startTeamProduct, type Answer, type AnswerBody, type Team } from '#test/support/team/team.ts';
import { startNotificationReceiver, typeOf, type ReceivedCall } from './notification-receiver.ts';

interface Subscription {
  id: string;
  path: string;
  secret: string;
  received: () => ReceivedCall[];
}

/** The product with a receiver that it may send webhooks to. */
export async function startWebhookProduct() {
  const receiver = await startNotificationReceiver(60_000);
  const product = await startTeamProduct(
    { ALERT_ALLOWED_NETWORKS: '127.0.0.1/32', ALERT_ALLOWED_PORTS: String(receiver.port) },
    ['api', 'worker'],
  );
  const urlOf = (path: string): string => `https://127.0.0.1:${receiver.port}${path}`;
  let paths = 0;
  const newPath = (): string => `/events-${(paths += 1)}`;

  async function subscribe(team: Team, eventTypes: string[], at = newPath()): Promise<Subscription> {
    const { status, body } = await team.admin.call('POST', team.path('/webhook-subscriptions'), {
      name: 'Chat bot',
      url: urlOf(at),
      eventTypes,
    });
    assert.equal(status, 201, JSON.stringify(body));
    const id = String(body['subscriptionId']);
    const received = () => receiver.callsTo(at).filter((call) => typeOf(call) !== 'test');
    return {
      id,
      path: team.path(`/webhook-subscriptions/${id}`),
      secret: String(body['signingSecret']),
      received,
    };
  }
  return { product, receiver, urlOf, newPath, subscribe };
}

export async function sendTest(team: Team, id: string): Promise<string> {
  const { status, body } = await team.admin.call('POST', team.path(`/webhook-subscriptions/${id}/test`));
  assert.equal(status, 202, JSON.stringify(body));
  return String(body['webhookId']);
}

/** Checks signature, time and schema. The library of the specification throws when the signature or the time is wrong. */
export function verify(call: ReceivedCall, secret: string): void {
  new Webhook(secret).verify(call.body, call.headers as Record<string, string>);
  const schema = webhookPayloads[typeOf(call) as keyof typeof webhookPayloads];
  assert.ok(Value.Check(schema, JSON.parse(call.body)), call.body);
}

/** The delivery log of a receiver, newest first. */
export const webhooksOf = async (
  team: Team,
  receiverId: string,
  query = '',
): Promise<AnswerBody['items']> => {
  const { status, body } = await team.viewer.call(
    'GET',
    team.path(`/webhook-receivers/${receiverId}/webhooks${query}`),
  );
  assert.equal(status, 200, JSON.stringify(body));
  return body.items;
};

export const detailOf = (team: Team, webhookId: string): Promise<Answer> =>
  team.member.call('GET', team.path(`/outgoing-webhooks/${webhookId}`));
