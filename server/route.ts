import { publicPrefixes } from '#platform/http/public-prefixes.ts';
import type { FastifyRequest } from 'fastify';
import type { AccessRules } from '#platform/http/register.ts';
import type { Route as PlatformRoute } from '#platform/http/route.ts';
import type { Role } from '#contract/roles.ts';

/**
 * Who may call: a role in the integration of the path, anybody signed in, whoever holds cookies of a session even if
 * it is over, everybody (operational pages), or a route under its domain's public prefixes: it verifies its caller
 * itself, or has nothing to hide.
 */
type Access =
  | { role: Role }
  | 'signed-in'
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
