import { randomBytes, randomUUID } from 'node:crypto';
import { parseEvent } from '#server/monitoring/parse-event.ts';
import { recordEvents } from '#server/monitoring/record-events.ts';
import { runPayload } from './forge-events.ts';
import { invite } from './invite.ts';
import { postWebhook } from './post-webhook.ts';
import { ruleBody } from './rule-body.ts';
import type { AnswerBody, Person, Team, TeamProduct } from './team.ts';

/** A valid call of a route: what its path needs beyond the integration, and its body. */
export interface Call {
  params?: Record<string, string>;
  body?: Record<string, unknown>;
}

export interface World {
  product: TeamProduct;
  team: Team;
  /** Who will call it: matters for what belongs to one person alone. */
  caller: Person;
}

type Example = (world: World) => Call | Promise<Call>;

const one = '/api/integrations/:integrationId';
const nothing: Example = () => ({});

/** One valid call for every route that asks who is calling. A route without one fails the test of the routes. */
export const examples: Record<string, Example> = {
  'GET /api/user': nothing,
  'GET /api/auth/ws-token': nothing,
  'GET /api/integrations': nothing,
  'POST /api/integrations': () => ({ body: { label: 'New' } }),
  [`GET ${one}`]: nothing,
  [`PATCH ${one}`]: () => ({ body: { label: 'Renamed' } }),
  [`DELETE ${one}`]: nothing,
  [`POST ${one}/rotate-secret`]: () => ({ body: { graceHours: 1 } }),
  [`PUT ${one}/webhook-events`]: () => ({ body: { events: ['workflow_run'] } }),

  [`GET ${one}/forge-app`]: nothing,
  [`POST ${one}/forge-app/setup`]: nothing,
  // The forge is asked who may; here it is enough that the role does not stand in the way.
  [`POST ${one}/forge-app`]: () => ({ body: { installationId: '77', proof: 'none' } }),
  [`DELETE ${one}/forge-app/:installationId`]: async (world) => ({
    params: { installationId: await newLink(world) },
  }),
  [`POST ${one}/forge-app/:installationId/sync`]: async (world) => ({
    params: { installationId: await newLink(world) },
  }),
  [`POST ${one}/forge-app/:installationId/history`]: async (world) => ({
    params: { installationId: await newLink(world) },
    body: { days: 30 },
  }),
  [`DELETE ${one}/forge-app/:installationId/history`]: async (world) => ({
    params: { installationId: await newLinkWithHistory(world) },
  }),

  [`GET ${one}/members`]: nothing,
  [`PATCH ${one}/members/:userId`]: async (world) => ({
    params: { userId: (await newMember(world)).userId },
    body: { role: 'member' },
  }),
  [`DELETE ${one}/members/:userId`]: async (world) => ({
    params: { userId: (await newMember(world)).userId },
  }),
  [`POST ${one}/leave`]: nothing,
  [`POST ${one}/transfer-ownership`]: ({ team }) => ({ body: { userId: team.member.userId } }),

  [`GET ${one}/invitations`]: nothing,
  [`POST ${one}/invitations`]: () => ({ body: { email: 'new@example.com', role: 'viewer' } }),
  [`POST ${one}/invitations/:invitationId/resend`]: async ({ team }) => ({
    params: { invitationId: (await invite(team, null, 'viewer')).invitationId },
  }),
  [`DELETE ${one}/invitations/:invitationId`]: async ({ team }) => ({
    params: { invitationId: (await invite(team, null, 'viewer')).invitationId },
  }),
  'POST /api/invitations/accept': async ({ team }) => ({
    body: { token: (await invite(team, null, 'viewer')).token },
  }),

  'GET /api/invitations': nothing,
  'POST /api/invitations/:invitationId/accept': async (world) => ({
    params: { invitationId: await newOffer(world) },
  }),

  [`GET ${one}/workflows`]: async (world) => {
    await newRun(world);
    return {};
  },
  [`GET ${one}/workflows/facets`]: nothing,
  [`GET ${one}/workflows/:runId`]: async (world) => ({ params: { runId: await newRun(world) } }),
  [`GET ${one}/overview`]: nothing,
  [`GET ${one}/metrics`]: nothing,

  [`GET ${one}/saved-views`]: async (world) => {
    await newView(world);
    return {};
  },
  [`POST ${one}/saved-views`]: () => ({ body: viewBody('New') }),
  [`PUT ${one}/saved-views/:viewId`]: async (world) => ({
    params: { viewId: await newView(world) },
    body: viewBody('Renamed'),
  }),
  [`DELETE ${one}/saved-views/:viewId`]: async (world) => ({ params: { viewId: await newView(world) } }),

  [`GET ${one}/event-log`]: nothing,
  [`GET ${one}/event-log/:entryId`]: async (world) => ({
    params: { entryId: await firstId(world, '/event-log', 'entryId') },
  }),
  [`PATCH ${one}/event-log/:entryId`]: async (world) => ({
    params: { entryId: await firstId(world, '/event-log', 'entryId') },
    body: { read: true },
  }),
  [`POST ${one}/event-log/mark-all-read`]: () => ({ body: {} }),

  [`GET ${one}/notification-rules`]: async (world) => {
    await newRule(world);
    return {};
  },
  [`POST ${one}/notification-rules`]: () => ({ body: { ...ruleBody() } }),
  [`PUT ${one}/notification-rules/:ruleId`]: async (world) => ({
    params: { ruleId: await newRule(world) },
    body: { ...ruleBody({ name: 'Changed' }) },
  }),
  [`DELETE ${one}/notification-rules/:ruleId`]: async (world) => ({
    params: { ruleId: await newRule(world) },
  }),
  [`POST ${one}/notification-rules/:ruleId/test`]: async (world) => ({
    params: { ruleId: await newRule(world) },
  }),
  [`POST ${one}/notification-rules/back-test`]: () => ({ body: { ...ruleBody() } }),
  [`GET ${one}/notification-rules/known-workflows`]: async (world) => {
    await newRun(world);
    return {};
  },
  [`GET ${one}/notification-rules/:ruleId/deliveries`]: async (world) => ({
    params: { ruleId: await newRule(world) },
  }),
  [`GET ${one}/incidents`]: nothing,

  [`GET ${one}/deliveries`]: async (world) => {
    await newDelivery(world);
    return {};
  },
  [`GET ${one}/deliveries/:deliveryId`]: async (world) => ({
    params: { deliveryId: await newDelivery(world) },
  }),
  [`POST ${one}/deliveries/:deliveryId/replay`]: async (world) => ({
    params: { deliveryId: await newDelivery(world) },
  }),
  [`GET ${one}/dead-letters`]: async (world) => {
    await newDeadLetter(world);
    return {};
  },
  [`POST ${one}/dead-letters/redrive`]: async (world) => ({
    body: { messageIds: [await newDeadLetter(world)] },
  }),
  [`DELETE ${one}/dead-letters/:messageId`]: async (world) => ({
    params: { messageId: await newDeadLetter(world) },
  }),
};

/** What everybody may call, and what verifies its caller itself. A new one has to be added here on purpose. */
export const openRoutes = [
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'GET /config.json',
  'GET /api/auth/callback',
  'POST /api/auth/refresh',
  'POST /api/auth/logout',
  'GET /api/auth/cognito/.well-known/openid-configuration',
  'GET /api/auth/cognito/.well-known/jwks.json',
  'GET /api/auth/cognito/authorize',
  'GET /api/auth/cognito/callback',
  'GET /api/auth/cognito/token',
  'POST /api/auth/cognito/token',
  'GET /api/auth/cognito/userinfo',
  'POST /api/auth/cognito/userinfo',
  'GET /api/auth/cognito/user',
  'POST /api/auth/cognito/user',
  'POST /api/import/:integrationId',
  'POST /api/forge/webhook',
];

async function newLinkWithHistory(world: World): Promise<string> {
  const installationId = await newLink(world);
  await world.product.database.asOwner(
    `insert into forge_duties (integration_id, installation_id, kind, since, due_at)
     values ($1, $2, 'history', now(), 'infinity')`,
    [world.team.integrationId, installationId],
  );
  return installationId;
}

async function newLink({ product, team }: World): Promise<string> {
  await product.database.asOwner(
    `insert into forge_installations (installation_id, account_id, account_login, account_type, as_of)
     values (77, 9001, 'octo-org', 'Organization', now()) on conflict do nothing`,
  );
  await product.database.asOwner(
    'insert into installation_links (integration_id, installation_id) values ($1, 77) on conflict do nothing',
    [team.integrationId],
  );
  return '77';
}

/** As the database holds it: a member cannot be invited, but the caller may be one. */
async function newOffer({ product, team, caller }: World): Promise<string> {
  const [row] = await product.database.asOwner<{ invitation_id: string }>(
    `insert into invitations (integration_id, email, role, token_hash, invited_by, expires_at)
     values ($1, $2, 'viewer', $3, $4, now() + interval '1 hour') returning invitation_id`,
    [team.integrationId, `${caller.login}@example.com`, randomBytes(32), team.owner.userId],
  );
  return row?.invitation_id ?? '';
}

async function newMember({ product, team }: World): Promise<Person> {
  const person = await product.person('newcomer');
  await product.setRole(team.integrationId, person, 'viewer');
  return person;
}

async function newRule({ team }: World): Promise<string> {
  const { body } = await team.owner.call('POST', team.path('/notification-rules'), ruleBody());
  return String(body['ruleId']);
}

const viewBody = (name: string) => ({ name, filter: { branch: 'main' } });

async function newView({ team, caller }: World): Promise<string> {
  const { body } = await caller.call('POST', team.path('/saved-views'), viewBody(`View ${randomUUID()}`));
  return String(body['viewId']);
}

async function newRun({ product, team }: World): Promise<string> {
  const { integrationId } = team;
  const event = { eventType: 'workflow_run' as const, payload: runPayload({ id: 4711 }), deliveryId: null };
  const parsed = parseEvent({ ...event, integrationId, receivedAt: 0 });
  if (!parsed.ok) throw new Error('the run cannot be read');
  await product.database.worker.withScope({ integrationId }, (tx) => recordEvents(tx, [parsed.event]));
  return '4711';
}

async function newDelivery(world: World): Promise<string> {
  await postWebhook(world.product.baseUrl, world.team, { event: 'workflow_run', payload: runPayload() });
  return firstId(world, '/deliveries', 'deliveryId');
}

async function newDeadLetter({ product, team }: World): Promise<string> {
  const [row] = await product.database.asOwner<{ message_id: string }>(
    `insert into dead_letter (message_id, group_id, deduplication_id, sent_at, reason, body)
     values (nextval('queue_seq'), $1, 'dead', now(), 'failed', '') returning message_id`,
    [team.integrationId],
  );
  return row?.message_id ?? '';
}

async function firstId({ team }: World, path: string, field: keyof AnswerBody): Promise<string> {
  const { body } = await team.owner.call('GET', team.path(path));
  const id = body.items[0]?.[field];
  if (typeof id !== 'string') throw new Error(`nothing at ${path}`);
  return id;
}
