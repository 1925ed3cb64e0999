import { PublicConfig, User } from '#contract/members/identity.ts';
import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { integrationIdsOf } from '#server/members/memberships-of-user.ts';
import { route, type Route } from '#server/route.ts';
import { sessionRoutes } from './session-routes.ts';
import type { SignIn } from './sign-in.ts';
import { findUser, listMemberships } from './store.ts';

export interface IdentityRoutesDeps {
  db: Database;
  signIn: SignIn;
  /** Whether the person may create integrations. */
  mayCreate(person: { email: string | null; isEmailVerified: boolean; forgeLogin: string | null }): boolean;
  publicConfig: Omit<PublicConfig, 'clientId' | 'authorizeUrl'>;
}

export function identityRoutes({ db, signIn, mayCreate, publicConfig }: IdentityRoutesDeps): Route[] {
  return [
    ...sessionRoutes(signIn),
    route('GET', '/config.json', {
      access: 'everybody',
      summary: 'Get the configuration of the web app',
      answer: { schema: PublicConfig },
      handle: async () => ({ ...publicConfig, ...signIn.publicConfig() }),
    }),
    route('GET', '/api/user', {
      access: 'signed-in',
      summary: 'Get the caller and their memberships',
      answer: { schema: User },
      handle: async ({ caller }) => {
        const user = await readUser(db, caller.userId);
        return { ...user, mayCreateIntegrations: mayCreate({ ...caller, forgeLogin: user.forgeLogin }) };
      },
    }),
  ];
}

async function readUser(db: Database, userId: string): Promise<Omit<User, 'mayCreateIntegrations'>> {
  const integrationIds = await integrationIdsOf(db, userId);
  const [row, memberships] = await db.withScope({ integrationIds }, (tx) =>
    Promise.all([findUser(tx, userId), listMemberships(tx, integrationIds, userId)]),
  );
  if (row === undefined) throw new AppError('unauthenticated', { detail: 'Sign in to continue.' });
  return {
    userId: row.user_id,
    name: row.name,
    email: row.email,
    picture: row.picture,
    forgeLogin: row.forge_login,
    memberships: memberships.map(({ integration_id: integrationId, label, role }) => ({
      integrationId,
      label,
      role,
    })),
  };
}
