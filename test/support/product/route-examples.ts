import { invite } from '#test/support/team/invite.ts';
import {
  firstId,
  newBadge,
  newTraceExport,
  newDeadLetter,
  newDelivery,
  newFailureGroup,
  newIncident,
  newLink,
  newLinkWithHistory,
  newMember,
  newOffer,
  newOutgoingWebhook,
  newRule,
  newIntegrationToken,
  newPersonalToken,
  newPullRequest,
  newRun,
  newShareLink,
  newSubscription,
  newView,
  viewBody,
  type World,
} from './route-objects.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';

/** A valid call of a route: further path parameters, required parameters of the query, and the body. */
export interface Call {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
}

type Example = (world: World) => Call | Promise<Call>;

const one = '/api/integrations/:integrationId';
const nothing: Example = () => ({});

/** One valid call for each route with a session. A missing one fails the route test. */
export const examples: Record<string, Example> = {
  'GET /api/user': nothing,
  'GET /api/auth/ws-token': nothing,
  'GET /api/user/notifications': nothing,
  'PUT /api/user/notifications': () => ({ body: { enabled: true, integrationIds: null } }),
  'GET /api/user/tokens': nothing,
  'POST /api/user/tokens': () => ({ body: { name: 'New', scopes: ['read'] } }),
  'DELETE /api/user/tokens/:tokenId': async (world) => ({
    params: { tokenId: await newPersonalToken(world) },
  }),
  'GET /api/integrations': nothing,
  'GET /api/search/runs': nothing,
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

  [`GET ${one}/tokens`]: nothing,
  [`POST ${one}/tokens`]: () => ({ body: { name: 'New', role: 'viewer' } }),
  [`DELETE ${one}/tokens/:tokenId`]: async (world) => ({
    params: { tokenId: await newIntegrationToken(world) },
  }),

  [`GET ${one}/forge-connection`]: nothing,
  // A private address is refused; the role does not stand in the way.
  [`PUT ${one}/forge-connection`]: () => ({
    body: { forge: 'gitea', url: 'https://10.0.0.1', token: 'token' },
  }),
  // Without an access token, the others answer that there is none.
  [`DELETE ${one}/forge-connection`]: nothing,
  [`GET ${one}/forge-connection/repositories`]: nothing,
  [`PUT ${one}/forge-connection/repositories`]: () => ({ body: { repositories: ['octo-org/site'] } }),
  [`POST ${one}/forge-connection/history`]: () => ({ body: { days: 30 } }),
  [`DELETE ${one}/forge-connection/history`]: nothing,

  [`GET ${one}/sample-data`]: nothing,
  [`DELETE ${one}/sample-data`]: nothing,
  [`GET ${one}/trace-export`]: nothing,
  [`PUT ${one}/trace-export`]: () => ({ body: { url: 'https://otlp.example.com', enabled: false } }),
  [`DELETE ${one}/trace-export`]: async (world) => {
    await newTraceExport(world);
    return {};
  },
  // The answer is that the host is unknown.
  [`POST ${one}/trace-export/test`]: async (world) => {
    await newTraceExport(world);
    return {};
  },

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
  'POST /api/invitations/preview': async ({ team }) => ({
    body: { token: (await invite(team, null, 'viewer')).token },
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
  [`GET ${one}/workflows/count`]: nothing,
  [`GET ${one}/jobs`]: nothing,
  [`GET ${one}/workflows/:runId`]: async (world) => ({ params: { runId: await newRun(world) } }),
  [`GET ${one}/workflows/:runId/failures`]: async (world) => ({ params: { runId: await newRun(world) } }),
  [`GET ${one}/pull-requests`]: async (world) => {
    await newPullRequest(world);
    return {};
  },
  [`GET ${one}/pull-requests/mine`]: nothing,
  [`GET ${one}/pull-requests/:number`]: async (world) => ({
    params: { number: await newPullRequest(world) },
  }),
  [`GET ${one}/failure-groups`]: async (world) => {
    await newFailureGroup(world);
    return {};
  },
  [`GET ${one}/failure-groups/:groupId`]: async (world) => ({
    params: { groupId: await newFailureGroup(world) },
  }),
  [`PATCH ${one}/failure-groups/:groupId`]: async (world) => ({
    params: { groupId: await newFailureGroup(world) },
    body: { status: 'acknowledged' },
  }),
  [`GET ${one}/workflows/:runId/actions`]: async (world) => ({ params: { runId: await newRun(world) } }),
  // The answer is that no connection covers the repository; the role does not stand in the way.
  [`POST ${one}/workflows/:runId/rerun`]: async (world) => ({
    params: { runId: await newRun(world) },
    body: { scope: 'all' },
  }),
  [`POST ${one}/workflows/:runId/cancel`]: async (world) => ({ params: { runId: await newRun(world) } }),
  [`GET ${one}/wallboard`]: nothing,
  [`GET ${one}/share-links`]: nothing,
  [`POST ${one}/share-links`]: () => ({ body: { name: 'Office', filter: {} } }),
  [`DELETE ${one}/share-links/:linkId`]: async (world) => ({
    params: { linkId: await newShareLink(world) },
  }),
  [`GET ${one}/badges`]: nothing,
  [`POST ${one}/badges`]: async (world) => {
    await newRun(world);
    return { body: { repository: 'acme/site', workflow: 'CI' } };
  },
  [`DELETE ${one}/badges/:badgeId`]: async (world) => ({ params: { badgeId: await newBadge(world) } }),
  [`GET ${one}/webhook-subscriptions`]: async (world) => {
    await newSubscription(world);
    return {};
  },
  [`POST ${one}/webhook-subscriptions`]: () => ({
    body: { name: 'New', url: 'https://hooks.example.com/in', eventTypes: ['run.completed'] },
  }),
  [`PUT ${one}/webhook-subscriptions/:subscriptionId`]: async (world) => ({
    params: { subscriptionId: await newSubscription(world) },
    body: { name: 'Changed', eventTypes: ['run.completed'], enabled: true },
  }),
  [`DELETE ${one}/webhook-subscriptions/:subscriptionId`]: async (world) => ({
    params: { subscriptionId: await newSubscription(world) },
  }),
  [`POST ${one}/webhook-subscriptions/:subscriptionId/secret`]: async (world) => ({
    params: { subscriptionId: await newSubscription(world) },
    body: { graceHours: 1 },
  }),
  [`POST ${one}/webhook-subscriptions/:subscriptionId/test`]: async (world) => ({
    params: { subscriptionId: await newSubscription(world) },
  }),
  [`GET ${one}/webhook-receivers/:receiverId/webhooks`]: async (world) => ({
    params: { receiverId: await newSubscription(world) },
  }),
  [`POST ${one}/webhook-receivers/:receiverId/replay-failed`]: async (world) => ({
    params: { receiverId: await newSubscription(world) },
    body: { since: '2026-01-05T00:00:00.000Z' },
  }),
  [`GET ${one}/outgoing-webhooks/:webhookId`]: async (world) => ({
    params: { webhookId: await newOutgoingWebhook(world) },
  }),
  [`POST ${one}/outgoing-webhooks/:webhookId/replay`]: async (world) => ({
    params: { webhookId: await newOutgoingWebhook(world) },
  }),
  [`GET ${one}/cctray.xml`]: nothing,
  [`GET ${one}/metrics.txt`]: nothing,
  [`GET ${one}/incidents.atom`]: nothing,
  [`GET ${one}/overview`]: nothing,
  [`GET ${one}/metrics`]: nothing,
  [`GET ${one}/what-changed`]: nothing,
  [`GET ${one}/workflow-steps`]: () => ({ query: { repository: 'acme/site', workflow: 'CI' } }),

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
  [`PATCH ${one}/incidents/:incidentId`]: async (world) => ({
    params: { incidentId: await newIncident(world) },
    body: { version: 1, acknowledged: true },
  }),

  [`GET ${one}/deliveries`]: async (world) => {
    await newDelivery(world);
    return {};
  },
  [`GET ${one}/deliveries/:deliveryId`]: async (world) => ({
    params: { deliveryId: await newDelivery(world) },
  }),
  [`GET ${one}/deliveries/:deliveryId/body`]: async (world) => ({
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

/** Routes without a session. A new one must be added here deliberately. */
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
  'GET /api/shared-wallboard',
  'POST /mcp',
  'GET /mcp',
  'GET /badge/:badgeId.svg',
  'GET /badge/:badgeId.json',
  'POST /api/import/:integrationId',
  'POST /api/forge/webhook',
  'GET /api/unsubscribe',
  'POST /api/unsubscribe',
];
