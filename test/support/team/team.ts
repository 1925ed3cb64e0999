import assert from 'node:assert/strict';
import type { Role } from '#contract/members/roles.ts';
import type { ProcessRole } from '#server/role-deps.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import type { CookieClient } from '#test/support/identity/cookie-client.ts';
import { startSignInProduct, type SignInProduct } from '#test/support/identity/signed-in-product.ts';
import { logEntries } from '#test/support/data/log-entries.ts';
import { sendJson } from '#test/support/identity/owner-client.ts';
import { setRole } from './people.ts';

/** What answers hold in common; a field that a test looks at is checked by the look. */
export interface AnswerBody {
  code?: string;
  items: Record<string, unknown>[];
  nextCursor: string | null;
  [field: string]: unknown;
}

export interface Answer {
  status: number;
  /** Parsed; empty for an empty body. */
  body: AnswerBody;
  headers: Headers;
}

/** Somebody who has signed in, in their browser. */
export interface Person {
  userId: string;
  login: string;
  browser: CookieClient;
  call(method: string, path: string, body?: unknown): Promise<Answer>;
}

const teamRoles = ['viewer', 'member', 'admin', 'owner'] as const;

/** An integration with one person of each role. */
export interface Team extends Record<Role, Person> {
  integrationId: string;
  webhookSecret: string;
  /** Path of the integration, with what is added to it. */
  path(rest?: string): string;
}

export interface TeamProduct extends SignInProduct {
  /** Signs in at the first call with a login. */
  person(login: string): Promise<Person>;
  /** A new integration of the four people of these roles. */
  newTeam(label?: string): Promise<Team>;
  setRole(integrationId: string, person: Person, role: Role): Promise<void>;
  /** Titles and types of the event log, oldest first. */
  entries(integrationId: string): Promise<{ type: string; title: string; actorId: string | null }[]>;
}

/** The product with people signed in at a provider. */
export async function startTeamProduct(
  env: NodeJS.ProcessEnv = {},
  roles?: readonly ProcessRole[],
): Promise<TeamProduct> {
  const product = await startSignInProduct(env, {}, roles);
  const { database, sealer, publicUrl } = product;
  const people = new Map<string, Promise<Person>>();

  const signInAs = async (login: string): Promise<Person> => {
    const browser = await product.newSession(login);
    const call: Person['call'] = async (method, path, body) =>
      answerOf(await sendJson(browser, publicUrl, method, path, body));
    const { body } = await call('GET', '/api/user');
    return { userId: String(body['userId']), login, browser, call };
  };
  const person = (login: string): Promise<Person> => {
    const known = people.get(login) ?? signInAs(login);
    people.set(login, known);
    return known;
  };
  const setTeamRole: TeamProduct['setRole'] = (integrationId, { userId }, role) =>
    setRole(database, integrationId, userId, role);
  return {
    ...product,
    person,
    setRole: setTeamRole,
    newTeam: async (label = 'Team') => {
      const [viewer, member, admin, owner] = await Promise.all(teamRoles.map(person));
      if (!viewer || !member || !admin || !owner) throw new Error('nobody signed in');
      const created = await createIntegration({ db: database.api, sealer }, { label, ownerId: owner.userId });
      await setTeamRole(created.integrationId, viewer, 'viewer');
      await setTeamRole(created.integrationId, member, 'member');
      await setTeamRole(created.integrationId, admin, 'admin');
      const path = (rest = ''): string => `/api/integrations/${created.integrationId}${rest}`;
      return { ...created, viewer, member, admin, owner, path };
    },
    entries: async (integrationId) =>
      (await logEntries(database, integrationId)).map(({ type, title, actor }) => ({
        type,
        title,
        actorId: actor?.userId ?? null,
      })),
  };
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  return {
    status: response.status,
    body: (isJson ? JSON.parse(text) : {}) as AnswerBody,
    headers: response.headers,
  };
}

export const refused = (answer: Answer, status: number, code: string): void =>
  assert.deepEqual([answer.status, answer.body.code], [status, code]);
