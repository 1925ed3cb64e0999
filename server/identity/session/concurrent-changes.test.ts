import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt, type JWTPayload } from 'jose';
import type { CookieClient } from '#test/support/identity/cookie-client.ts';
import { startSignInProduct } from '#test/support/identity/signed-in-product.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { addPending } from '#test/support/team/people.ts';
import { notifyPendingMemberships } from '#server/members/access/organization-store.ts';

const first = await startSignInProduct();
const { database, provider, publicUrl } = first;
const second = await startTestProgram(
  {
    DATABASE_URL: database.url,
    PUBLIC_URL: publicUrl,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
  },
  ['api'],
);
const processes = [first.baseUrl, second.baseUrl];

interface SeenUser {
  name: string;
  memberships: { integrationId: string; role: string }[];
}

/** What each process says about the person of these cookies. */
async function seenBy(browser: CookieClient): Promise<SeenUser[]> {
  const { host } = new URL(publicUrl);
  const cookie = ['accessToken', 'idToken']
    .map((name) => `${name}=${browser.cookies.get(`${host} ${name}`)?.value}`)
    .join('; ');
  return Promise.all(
    processes.map(async (baseUrl) => {
      const answer = await fetch(`${baseUrl}/api/user`, { headers: { cookie } });
      assert.equal(answer.status, 200);
      return (await answer.json()) as SeenUser;
    }),
  );
}

function claimWith(claims: JWTPayload): void {
  provider.tamper = async (body, sign) => ({
    ...body,
    id_token: await sign({ ...decodeJwt(body.id_token ?? ''), ...claims }),
  });
}

test('a pending membership of a signed-in person takes effect at once in every process', async () => {
  claimWith({ 'custom:forge_id': '4716' });
  const browser = await first.newSession('ann');
  const { integrationId } = await first.createIntegration('Waiting');
  for (const { memberships } of await seenBy(browser)) assert.deepEqual(memberships, []);

  const isMember = async (role: string): Promise<true> =>
    waitUntil(
      `both processes to know the ${role}`,
      async () => {
        const seen = await seenBy(browser);
        return seen.every(({ memberships }) => memberships[0]?.role === role);
      },
      // Less than the ten seconds after which a process looks by itself.
      5000,
    );
  for (const role of ['viewer', 'member'] as const) {
    await addPending(database, integrationId, 4716, role);
    await database.worker.withScope('service', notifyPendingMemberships);
    await isMember(role);
  }
});

test('changed claims take effect with the first request that contains them, in every process', async () => {
  claimWith({ name: 'Former name' });
  const browser = await first.newSession('ben');
  const names = async (): Promise<string[]> => (await seenBy(browser)).map(({ name }) => name);
  assert.deepEqual(await names(), ['Former name', 'Former name']);
  claimWith({ name: 'New name' });
  assert.equal((await browser.fetch(`${publicUrl}/api/auth/refresh`, { method: 'POST' })).status, 200);
  assert.deepEqual(await names(), ['New name', 'New name']);
});
