import { publicPrefixes } from '#platform/http/chain/public-prefixes.ts';
import type { FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import type { AccessRules } from '#platform/http/register.ts';
import {
  route as platformRoute,
  type Caller,
  type Route as PlatformRoute,
  type TypedRoute,
} from '#platform/http/route.ts';
import type { Role } from '#contract/members/roles.ts';

/** Access that requires a session. The chain refuses other requests before the handler runs. */
type SessionAccess = { role: Role } | 'signed-in';

/**
 * The allowed callers: members with a role in the integration of the path (`role`), signed-in users (`signed-in`), holders
 * of session cookies even if the session has ended (`any-session`), or everyone (`everybody`, for operational pages).
 * `verifiedBy` and `public` are for routes under public prefixes, which verify their caller themselves or need no check.
 */
type Access =
  | SessionAccess
  | 'everybody'
  | 'any-session'
  | 'public'
  | {
      verifiedBy:
        | 'integration-signature'
        | 'app-signature'
        | 'authorization-code'
        | 'refresh-token'
        | 'client-secret'
        | 'forge-token';
    };

export type Route = PlatformRoute<Access>;

/** Infers the handler's input from the schemas of the row, and its caller from the access. */
export const route = platformRoute as <
  const A extends Access,
  P extends TObject,
  Q extends TObject,
  B extends TObject,
>(
  row: TypedRoute<A, P, Q, B, A extends SessionAccess ? Caller : Caller | undefined>,
) => Route;

/** Implements the access column. `requireRole` checks memberships. */
export function accessRules(
  requireRole: (minimum: Role) => (request: FastifyRequest) => Promise<void>,
): AccessRules<Access> {
  return {
    guard: (access) =>
      typeof access === 'object' && 'role' in access ? requireRole(access.role) : undefined,
    needsSession: (access) => access === 'signed-in' || (typeof access === 'object' && 'role' in access),
    describe: (access) => {
      if (access === 'everybody' || access === 'public') return 'Open to everyone.';
      if (access === 'signed-in') return 'Requires a session.';
      if (access === 'any-session') return 'Requires session cookies. The session may have ended.';
      if ('role' in access) return `Minimum role: ${access.role}.`;
      return `Authenticated by ${access.verifiedBy.replaceAll('-', ' ')}.`;
    },
  };
}

/**
 * Checks the route table before the process accepts requests.
 * @throws for a route of an integration without a role, a route that does not match the public prefixes, an API route for
 * everyone, or a public prefix without a route.
 */
export function checkRoutes(routes: readonly Route[], prefixes: readonly string[]): void {
  const isPublic = publicPrefixes(prefixes);
  for (const { method, path, access } of routes) {
    const name = `${method} ${path}`;
    const verifiesItself = typeof access === 'object' && 'verifiedBy' in access;
    const bypassesSession = verifiesItself || access === 'public';
    const needsRole = path.includes('/:integrationId') && !verifiesItself;
    if (needsRole && !(typeof access === 'object' && 'role' in access))
      throw new Error(`${name} declares no minimum role`);
    if (bypassesSession !== isPublic(path)) throw new Error(`${name} and the public prefixes disagree`);
    if (path.startsWith('/api/') && access === 'everybody') throw new Error(`${name} is open to everybody`);
  }
  for (const prefix of prefixes) {
    const covers = publicPrefixes([prefix]);
    if (!routes.some(({ path }) => covers(path)))
      throw new Error(`the public prefix ${prefix} covers no route`);
  }
}
