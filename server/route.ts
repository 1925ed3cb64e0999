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
import type { Role } from '#contract/roles.ts';

/** The chain refuses a request without a session before the handler of such a route runs. */
type SessionAccess = { role: Role } | 'signed-in';

/**
 * Who may call: a member with a role in the integration of the path, anybody signed in, anybody with the cookies of a
 * session even if it has ended, everybody (operational pages), or a route under its domain's public prefixes, which
 * verifies its caller itself or has nothing to hide.
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

/** Types the handler's input from the row's own schemas, and its caller from the row's access. */
export const route = platformRoute as <
  const A extends Access,
  P extends TObject,
  Q extends TObject,
  B extends TObject,
>(
  row: TypedRoute<A, P, Q, B, A extends SessionAccess ? Caller : Caller | undefined>,
) => Route;

/** What the access column does; `requireRole` is the members' check. */
export function accessRules(
  requireRole: (minimum: Role) => (request: FastifyRequest) => Promise<void>,
): AccessRules<Access> {
  return {
    guard: (access) =>
      typeof access === 'object' && 'role' in access ? requireRole(access.role) : undefined,
    needsSession: (access) => access === 'signed-in' || (typeof access === 'object' && 'role' in access),
    describe: (access) => {
      if (access === 'everybody' || access === 'public') return 'Open to everybody.';
      if (access === 'signed-in') return 'For anybody who is signed in.';
      if (access === 'any-session')
        return 'For anybody who holds the cookies of a session, even one that is over.';
      if ('role' in access) return `Minimum role: ${access.role}.`;
      return `Verifies its caller by ${access.verifiedBy.replaceAll('-', ' ')}.`;
    },
  };
}

/**
 * Refuses a table that would leave a hole, before the process takes its first request: a route of an integration
 * without a role, a self-verified route outside the public prefixes, or a prefix that covers none.
 */
export function checkRoutes(routes: readonly Route[], prefixes: readonly string[]): void {
  const isPublic = publicPrefixes(prefixes);
  for (const { method, path, access } of routes) {
    const name = `${method} ${path}`;
    const verifiesItself = typeof access === 'object' && 'verifiedBy' in access;
    const standsOutside = verifiesItself || access === 'public';
    const needsRole = path.includes('/:integrationId') && !verifiesItself;
    if (needsRole && !(typeof access === 'object' && 'role' in access))
      throw new Error(`${name} declares no minimum role`);
    if (standsOutside !== isPublic(path)) throw new Error(`${name} and the public prefixes disagree`);
    if (path.startsWith('/api/') && access === 'everybody') throw new Error(`${name} is open to everybody`);
  }
  for (const prefix of prefixes) {
    const covers = publicPrefixes([prefix]);
    if (!routes.some(({ path }) => covers(path)))
      throw new Error(`the public prefix ${prefix} covers no route`);
  }
}
