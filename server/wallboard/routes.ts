import {
  CreatedShareLink,
  ShareLinkBody,
  ShareLinkPage,
  Wall,
  WallFilter,
} from '#contract/integrations/wallboard.ts';
import type { FastifyReply } from 'fastify';
import { tagBy } from '#platform/http/weak-tag.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { route, type Route } from '#server/route.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import { storedNames } from '#server/runs/names/stored-names.ts';
import { readWall, withoutAddresses } from './read-wall.ts';
import { createShareLink, openShareLink, readShareLinks, revokeShareLink } from './share-links.ts';

export interface WallboardDeps extends Pick<SharedDeps, 'db' | 'clock'> {
  publicUrl: string;
  version: string;
}

const shared = '/api/shared-wallboard';
export const publicPrefixes = [shared];

const base = '/api/integrations/:integrationId';

export function wallboardRoutes(deps: WallboardDeps): Route[] {
  return [
    route('GET', `${base}/wallboard`, {
      access: { role: 'viewer' },
      summary: 'Get the state of each workflow on the default branch for a large screen',
      query: WallFilter,
      answer: { schema: Wall },
      handle: async ({ params: { integrationId }, query, reply }) =>
        tagged(reply, await readWall(deps, integrationId, query)),
    }),
    route('GET', shared, {
      access: { verifiedBy: 'share-link' },
      isPolled: true,
      summary: 'Get what a share link shows; its secret is the bearer token',
      // Screens of one office share an address.
      rateLimits: [{ perMinute: 600, by: 'address' }],
      refusalLimit: { perMinute: 20, by: 'address' },
      answer: { schema: Wall },
      handle: async ({ request, reply }) => {
        const [, secret = ''] = /^Bearer ([\w-]{43})$/.exec(request.headers.authorization ?? '') ?? [];
        const { integrationId, filter } = await openShareLink(deps.db, secret);
        void reply.header('cache-control', 'no-store');
        const { names, stored } = await deps.db.withScope({ integrationId }, async (tx) => ({
          names: await readShownNames(tx, [integrationId]),
          stored: await storedNames(tx, integrationId, filter),
        }));
        const wall = names.show(integrationId, await readWall(deps, integrationId, stored));
        return tagged(reply, withoutAddresses(wall));
      },
    }),
    ...shareLinkRoutes(deps),
  ];
}

/** The time of the answer changes nothing on the screen. */
function tagged(reply: FastifyReply, wall: Wall): Wall {
  tagBy(reply, { ...wall, at: undefined });
  return wall;
}

function shareLinkRoutes(deps: WallboardDeps): Route[] {
  const path = `${base}/share-links`;
  return [
    route('GET', path, {
      access: { role: 'viewer' },
      summary: 'List the share links of the wallboard, oldest first',
      answer: { schema: ShareLinkPage },
      handle: async ({ params: { integrationId } }) => ({
        items: await readShareLinks(deps.db, integrationId),
        nextCursor: null,
      }),
    }),
    route('POST', path, {
      access: { role: 'admin', by: 'session' },
      summary:
        'Create a link that shows the wallboard without an account; its secret is only in this response',
      body: ShareLinkBody,
      rateLimits: [{ perMinute: 20, by: 'caller' }],
      isConfidential: true,
      errors: ['share_link_limit_reached'],
      answer: { status: 201, schema: CreatedShareLink },
      handle: ({ actor, body }) => createShareLink(deps, actor, body),
    }),
    route('DELETE', `${path}/:linkId`, {
      access: { role: 'admin' },
      summary: 'Revoke a share link of the wallboard',
      answer: { status: 204 },
      handle: ({ actor, params: { linkId } }) => revokeShareLink(deps.db, actor, linkId),
    }),
  ];
}
