import { publicPrefixes } from '#platform/http/chain/public-prefixes.ts';
import type { FastifyRequest } from 'fastify';
import { Type, type TObject } from 'typebox';
import type { ErrorCode } from '#contract/base/errors.ts';
import { Uuid } from '#contract/base/schema.ts';
import {
  route as platformRoute,
  type AccessRules,
  type Caller,
  type Person,
  type Route as PlatformRoute,
  type TypedRoute,
  type TypedRow,
} from '#platform/http/route.ts';
import type { TokenScope } from '#contract/members/api-tokens.ts';
import type { Role } from '#contract/members/roles.ts';
import { checkTokenUse } from '#server/api-tokens/check-token-use.ts';
import type { Actor } from '#server/members/locks/lock-member-role.ts';

/**
 * Access of a caller with a role in the integration of the path: a session or an API token. `by: 'person'` excludes tokens of
 * an integration, for what belongs to a person. `by: 'session'` excludes all tokens.
 */
interface RoleAccess {
  role: Role;
  by?: 'person' | 'session';
  /** A scope of API tokens that suffices. */
  scope?: TokenScope;
}

/** Access that requires a session or an API token. The chain refuses other requests before the handler runs. */
type CallerAccess = RoleAccess | 'signed-in' | 'session-or-token' | 'token';

/**
 * The allowed callers: those with a role in the integration of the path (`role`), signed-in users (`signed-in`), these and API
 * tokens (`session-or-token`), API tokens (`token`), holders of session cookies even if the session has ended (`any-session`), or everyone
 * (`everybody`, for operational pages).
 * `verifiedBy` and `public` are for routes under public prefixes, which verify their caller themselves or need no check.
 */
type Access =
  | CallerAccess
  | 'everybody'
  | 'any-session'
  | 'public'
  | {
      verifiedBy:
        | 'integration-signature'
        | 'app-signature'
        | 'share-link'
        | 'authorization-code'
        | 'refresh-token'
        | 'client-secret'
        | 'forge-token'
        | 'unsubscribe-token'
        | 'job-token';
    };

export type Route = PlatformRoute<Access>;

type IdOf<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | IdOf<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never;
type IdsOf<Path extends string> = TObject<Record<IdOf<Path>, typeof Uuid>>;

type CallerOf<A> = A extends 'signed-in' ? Person : A extends CallerAccess ? Caller : undefined;
type ActorOf<A> = A extends RoleAccess ? { actor: Actor } : unknown;

/**
 * Infers the handler's input from the path and the schemas of the row, and its caller from the access. The parameters of a
 * path are UUIDs unless the row declares them. The handler of a route with a role gets its caller and integration as `actor`.
 */
export function route<
  const A extends Access,
  const Path extends string,
  Q extends TObject,
  B extends TObject,
  P extends TObject = IdsOf<Path>,
>(method: Route['method'], path: Path, row: TypedRow<A, P, Q, B, CallerOf<A>, ActorOf<A>>): Route {
  const ids = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, Uuid] as const);
  const params = ids.length === 0 ? {} : { params: Type.Object(Object.fromEntries(ids)) };
  const handle = isOfRole(row.access) ? withActor(row.handle as unknown as RoleHandler) : row.handle;
  return platformRoute({ method, path, ...params, ...row, handle } as unknown as TypedRoute<
    Access,
    TObject,
    TObject,
    TObject
  >);
}

type RoleInput = Parameters<Route['handle']>[0] & { caller: Caller; params: { integrationId: string } };
type RoleHandler = (input: RoleInput & { actor: Actor }) => Promise<unknown>;

function withActor(handle: RoleHandler): (input: RoleInput) => Promise<unknown> {
  return (input) => {
    const { caller, params } = input;
    return handle({ ...input, actor: { integrationId: params.integrationId, actorId: caller.userId } });
  };
}

/** Implements the access column. `requireRole` checks the role that the caller has at that moment. */
export function accessRules(
  requireRole: (minimum: Role) => (request: FastifyRequest) => Promise<void>,
): AccessRules<Access> {
  return {
    guard: (access) => {
      const credentials = credentialsOf(access);
      if (credentials.length === 0) return undefined;
      const checkToken = checkTokenUse(
        credentials,
        isOfRole(access) && access.by === 'person',
        isOfRole(access) ? access.scope : undefined,
      );
      if (!isOfRole(access)) return checkToken;
      const checkRole = requireRole(access.role);
      return async (request) => {
        await checkToken(request);
        await checkRole(request);
      };
    },
    credentials: credentialsOf,
    errors: (access) => {
      if (access === 'any-session') return ['unauthenticated', 'origin_not_allowed'];
      if (!isOfRole(access)) return verifierErrors(access);
      return access.by === 'person' ? ['insufficient_role', 'token_not_allowed'] : ['insufficient_role'];
    },
    describe: (access) => {
      if (access === 'everybody' || access === 'public') return 'Open to everyone.';
      if (access === 'signed-in') return 'Requires a session.';
      if (access === 'session-or-token') return 'Requires a session or an API token.';
      if (access === 'token') return 'Requires an API token.';
      if (access === 'any-session') return 'Requires session cookies. The session may have ended.';
      if (isOfRole(access)) return `Minimum role: ${access.role}.${limitsOf[access.by ?? 'anyone']}`;
      return `Authenticated by ${access.verifiedBy.replaceAll('-', ' ')}.`;
    },
  };
}

/** Codes of routes that verify their caller themselves. */
function verifierErrors(access: Access): readonly ErrorCode[] {
  const verifiedBy = typeof access === 'object' && 'verifiedBy' in access ? access.verifiedBy : undefined;
  if (verifiedBy === 'share-link') return ['invalid_share_link'];
  if (verifiedBy === 'job-token') return ['invalid_job_token', 'forge_unavailable'];
  return verifiedBy?.endsWith('-signature') ? ['invalid_signature'] : [];
}

const limitsOf = {
  anyone: '',
  person: ' Not for API tokens of an integration.',
  session: ' Requires a session.',
} as const;

function isOfRole(access: Access): access is RoleAccess {
  return typeof access === 'object' && 'role' in access;
}

/** What identifies the caller of a route. */
function credentialsOf(access: Access): readonly ('session' | 'token')[] {
  if (access === 'signed-in' || (isOfRole(access) && access.by === 'session')) return ['session'];
  if (access === 'token') return ['token'];
  return access === 'session-or-token' || isOfRole(access) ? ['session', 'token'] : [];
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
    if (needsRole && !isOfRole(access)) throw new Error(`${name} declares no minimum role`);
    if (bypassesSession !== isPublic(path)) throw new Error(`${name} and the public prefixes disagree`);
    if (path.startsWith('/api/') && access === 'everybody') throw new Error(`${name} is open to everybody`);
  }
  for (const prefix of prefixes) {
    const covers = publicPrefixes([prefix]);
    if (!routes.some(({ path }) => covers(path)))
      throw new Error(`the public prefix ${prefix} covers no route`);
  }
}
