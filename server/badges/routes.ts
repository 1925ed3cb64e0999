import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { Uuid } from '#contract/base/schema.ts';
import { Badge, BadgeBody, BadgeEndpoint, BadgeId, BadgePage } from '#contract/integrations/badges.ts';
import { route, type Route } from '#server/route.ts';
import { createBadge, readBadges, removeBadge, type BadgeDeps } from './badges.ts';
import { drawBadge, readPublicBadge } from './public-badge.ts';

export const publicPrefixes = ['/badge/'];

const base = '/api/integrations/:integrationId/badges';

export function badgeRoutes(deps: BadgeDeps): Route[] {
  return [...ownRoutes(deps), ...publicRoutes(deps)];
}

function ownRoutes(deps: BadgeDeps): Route[] {
  return [
    route('GET', base, {
      access: { role: 'viewer' },
      summary: 'List the badges of an integration, oldest first',
      answer: { schema: BadgePage },
      handle: async ({ params: { integrationId } }) => ({
        items: await readBadges(deps, integrationId),
        nextCursor: null,
      }),
    }),
    route('POST', base, {
      access: { role: 'admin' },
      summary: 'Make the state of a workflow public as a badge',
      body: BadgeBody,
      rateLimits: [{ perMinute: 60, by: 'caller' }],
      errors: ['badge_limit_reached', 'not_found', 'conflict'],
      answer: { status: 201, schema: Badge },
      handle: ({ actor, body }) => createBadge(deps, actor, body),
    }),
    route('DELETE', `${base}/:badgeId`, {
      access: { role: 'admin' },
      summary: 'Remove a badge; its address never shows anything again',
      params: Type.Object({ integrationId: Uuid, badgeId: BadgeId }),
      answer: { status: 204 },
      handle: ({ actor, params: { badgeId } }) => removeBadge(deps.db, actor, badgeId),
    }),
  ];
}

/** Readable by everyone who knows the id: images in pages of the forge are requested without credentials. */
function publicRoutes({ db }: BadgeDeps): Route[] {
  const shared = {
    access: 'public',
    isPolled: true,
    params: Type.Object({ badgeId: BadgeId }),
    // Forges request images through a proxy with few addresses.
    rateLimits: [{ perMinute: 600, by: 'address' }],
  } as const;
  return [
    route('GET', '/badge/:badgeId.svg', {
      ...shared,
      summary: 'Get the badge of a workflow as an image',
      answer: { contentType: 'image/svg+xml; charset=utf-8' },
      handle: async ({ params: { badgeId }, reply }) => {
        const badge = await readPublicBadge(db, badgeId);
        letCache(reply);
        return drawBadge(badge);
      },
    }),
    route('GET', '/badge/:badgeId.json', {
      ...shared,
      summary: 'Get the badge of a workflow for the endpoint badge of shields.io',
      answer: { schema: BadgeEndpoint },
      handle: async ({ params: { badgeId }, reply }) => {
        const badge = await readPublicBadge(db, badgeId);
        letCache(reply);
        return badge;
      },
    }),
  ];
}

/** An image that is opened as a page must not run anything. */
function letCache(reply: FastifyReply): void {
  void reply
    .header('cache-control', 'public, max-age=60')
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'");
}
