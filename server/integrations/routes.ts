import {
  CreatedIntegration,
  Integration,
  IntegrationBody,
  IntegrationPage,
  IntegrationQuery,
  RotatedSecret,
  RotateSecretBody,
  WebhookEventsBody,
  defaultGraceHours,
} from '#contract/integrations/integrations.ts';
import type { Log } from '#platform/runtime/log.ts';
import { route, type Route } from '#server/route.ts';
import { changeWebhookEvents, renameIntegration } from './change-integration.ts';
import { createIntegration } from './create-integration.ts';
import { deleteIntegration } from './delete-integration.ts';
import { readIntegration, readIntegrations, type ReadDeps } from './read-integrations.ts';
import { rotateSecret } from './secrets/rotate-secret.ts';
import type { SecretDeps } from './secrets/webhook-secret.ts';
import { refuseUnlessMayCreate, type MayCreate } from './who-may-create.ts';

export interface IntegrationRoutesDeps extends ReadDeps, SecretDeps {
  log: Log;
  mayCreate: MayCreate;
  /** INTEGRATIONS_PER_PERSON. */
  maxOwned: number;
}

const one = '/api/integrations/:integrationId';

export function integrationRoutes(deps: IntegrationRoutesDeps): Route[] {
  return [...collectionRoutes(deps), ...settingRoutes(deps)];
}

function collectionRoutes(deps: IntegrationRoutesDeps): Route[] {
  const { db, publicUrl } = deps;
  return [
    route('GET', '/api/integrations', {
      access: 'session-or-token',
      summary: 'List the integrations of the caller with the caller’s role',
      query: IntegrationQuery,
      answer: { schema: IntegrationPage },
      handle: ({ query, caller }) => readIntegrations(deps, caller.userId, query),
    }),
    route('POST', '/api/integrations', {
      access: 'signed-in',
      summary: 'Create an integration owned by the caller; the webhook secret is only shown in this response',
      body: IntegrationBody,
      rateLimits: [{ perMinute: 60, by: 'caller' }],
      isConfidential: true,
      errors: ['integration_creation_restricted', 'integration_limit_reached'],
      answer: { status: 201, schema: CreatedIntegration },
      handle: async ({ body: { label }, caller }) => {
        const { userId } = caller;
        await refuseUnlessMayCreate(deps, caller);
        const { integrationId, webhookSecret } = await createIntegration(deps, {
          label,
          ownerId: userId,
          maxOwned: deps.maxOwned,
        });
        const created = await db.withScope({ integrationId }, (tx) =>
          readIntegration(tx, publicUrl, { integrationId, userId }),
        );
        return { ...created, webhookSecret };
      },
    }),
    route('GET', one, {
      access: { role: 'viewer' },
      summary: 'Get an integration with the caller’s role',
      answer: { schema: Integration },
      handle: ({ params: { integrationId }, caller }) =>
        db.withScope({ integrationId }, (tx) =>
          readIntegration(tx, publicUrl, { integrationId, userId: caller.userId }),
        ),
    }),
  ];
}

function settingRoutes(deps: IntegrationRoutesDeps): Route[] {
  return [
    route('PATCH', one, {
      access: { role: 'admin' },
      summary: 'Rename an integration',
      body: IntegrationBody,
      answer: { schema: Integration },
      handle: ({ actor, body: { label } }) => renameIntegration(deps, actor, label),
    }),
    route('DELETE', one, {
      access: { role: 'owner' },
      summary: 'Delete an integration and its data',
      answer: { status: 204 },
      handle: ({ actor }) => deleteIntegration(deps, actor),
    }),
    route('POST', `${one}/rotate-secret`, {
      access: { role: 'admin' },
      summary: 'Replace the webhook secret; the new one is only shown in this response',
      body: RotateSecretBody,
      isConfidential: true,
      answer: { schema: RotatedSecret },
      handle: ({ actor, body: { graceHours = defaultGraceHours } }) => rotateSecret(deps, actor, graceHours),
    }),
    route('PUT', `${one}/webhook-events`, {
      access: { role: 'admin' },
      summary: 'Select the webhook events to process; an empty list selects none',
      body: WebhookEventsBody,
      answer: { schema: Integration },
      handle: ({ actor, body: { events } }) => changeWebhookEvents(deps, actor, events),
    }),
  ];
}
