import type { Route as PlatformRoute } from '#platform/http/route.ts';
import type { Role } from '#contract/roles.ts';

/**
 * Who may call: a role in the integration of the path, anybody signed in, everybody (operational pages), or a public
 * route that verifies its caller itself and lies under its domain's public prefixes.
 */
export type Access =
  | { role: Role }
  | 'signed-in'
  | 'everybody'
  | { verifiedBy: 'integration-signature' | 'app-signature' | 'authorization-code' | 'refresh-token' };

export type Route = PlatformRoute<Access>;
