import { Type } from 'typebox';
import {
  ForgeAppSetup,
  ForgeAppState,
  InstallationId,
  LinkInstallationBody,
} from '#contract/integrations/forge-app.ts';
import { Uuid } from '#contract/base/schema.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { route, type Route } from '#server/route.ts';
import { webhookAnswerMs } from '#server/queue/policy.ts';
import {
  requestSync,
  linkInstallation,
  unlinkInstallation,
  type LinkDeps,
} from './installations/link-installation.ts';
import { readForgeApp } from './installations/read-installations.ts';
import { receiveAppWebhook, type ReceiveAppDeps } from './receive-app-webhook.ts';

/** The signature of each delivery authenticates it, not a session. */
export const publicPrefixes = ['/api/forge/'];

const base = '/api/integrations/:integrationId/forge-app';
const ofInstallation = Type.Object({ integrationId: Uuid, installationId: InstallationId });

export interface ForgeAppRoutesDeps extends LinkDeps, ReceiveAppDeps {
  maxBytes: number;
  forgeUrl: string;
  slug: string | undefined;
}

export function forgeAppRoutes(deps: ForgeAppRoutesDeps): Route[] {
  return [...webhookRoutes(deps), ...linkRoutes(deps), ...installationRoutes(deps)];
}

function webhookRoutes(deps: ForgeAppRoutesDeps): Route[] {
  return [
    route('POST', '/api/forge/webhook', {
      access: { verifiedBy: 'app-signature' },
      summary: 'Receive a webhook of the forge application; answers 200 when it is durable in the queue',
      rawBodyMaxBytes: deps.maxBytes,
      answerWithinMs: webhookAnswerMs,
      refusalLimit: { perMinute: 60, by: 'address' },
      errors: [
        'forge_app_not_configured',
        'unsupported_event',
        'invalid_json',
        'payload_too_complex',
        'storage_full',
      ],
      answer: { schema: Type.Object({ message: Type.Literal('ok') }) },
      handle: async ({ body, request }) => {
        const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
        await receiveAppWebhook(deps, { headers: request.headers, body: bytes });
        return { message: 'ok' };
      },
    }),
  ];
}

function linkRoutes(deps: ForgeAppRoutesDeps): Route[] {
  const { db, api, proof, clock, slug } = deps;
  return [
    route('GET', base, {
      access: { role: 'viewer' },
      summary: 'List the linked installations of the forge application with the state of their syncs',
      answer: { schema: ForgeAppState },
      handle: ({ params: { integrationId } }) => readForgeApp(db, integrationId, api !== undefined),
    }),
    route('POST', `${base}/setup`, {
      access: { role: 'admin' },
      summary: 'Get the URL to install the application, and the `proof` that linking requires',
      isConfidential: true,
      errors: ['forge_app_not_configured'],
      answer: { schema: ForgeAppSetup },
      handle: async ({ actor }) => {
        if (api === undefined || slug === undefined)
          throw new AppError('forge_app_not_configured', {
            detail: 'FORGE_APP_ID is not configured on this server.',
          });
        const made = await proof.make(actor);
        return {
          installUrl: `${deps.forgeUrl}/apps/${slug}/installations/new?${new URLSearchParams({ state: made })}`,
          proof: made,
          expiresAt: new Date(clock() + proof.lifetimeMs).toISOString(),
        };
      },
    }),
    route('POST', base, {
      access: { role: 'admin' },
      summary:
        'Link an installation that the caller administers at the forge; its members join the integration',
      body: LinkInstallationBody,
      rateLimits: [{ perMinute: 20, by: 'caller' }],
      errors: ['forge_app_not_configured', 'installation_not_administered', 'conflict', 'forge_unavailable'],
      answer: { status: 201, schema: ForgeAppState },
      handle: async ({ actor, params: { integrationId }, body }) => {
        await linkInstallation(deps, actor, { ...body, installationId: String(body.installationId) });
        return readForgeApp(db, integrationId, true);
      },
    }),
  ];
}

function installationRoutes(deps: ForgeAppRoutesDeps): Route[] {
  return [
    route('DELETE', `${base}/:installationId`, {
      access: { role: 'admin' },
      summary: 'Unlink an installation; members who joined only through it are removed',
      params: ofInstallation,
      answer: { status: 204 },
      handle: ({ actor, params: { installationId } }) => unlinkInstallation(deps, actor, installationId),
    }),
    route('POST', `${base}/:installationId/sync`, {
      access: { role: 'admin' },
      summary: 'Start a member sync of a linked installation',
      params: ofInstallation,
      rateLimits: [{ perMinute: 6, by: 'caller' }],
      answer: { status: 202 },
      handle: async ({ params: { integrationId, installationId } }) => {
        const { installations } = await readForgeApp(deps.db, integrationId, true);
        if (!installations.some((each) => each.installationId === installationId))
          throw new AppError('not_found', { detail: 'The installation is not linked to this integration.' });
        await requestSync(deps.queue, integrationId, installationId);
      },
    }),
  ];
}
