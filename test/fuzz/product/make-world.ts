import { randomUUID } from 'node:crypto';
import { makeCookieClient, signIn, type CookieClient } from '#test/support/identity/cookie-client.ts';
import { invite } from '#test/support/team/invite.ts';
import { examples } from '#test/support/product/route-examples.ts';
import type { Person, Team, TeamProduct } from '#test/support/team/team.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import type { World } from '../target.ts';
import { sendJson } from '#test/support/identity/owner-client.ts';

export interface MadeWorld {
  world: World;
  people: Record<'viewer' | 'owner', Person>;
}

export interface Canary {
  /** Values of its objects, as `foreign.…`. */
  values: Record<string, string>;
  /** What nobody else may ever read. */
  texts: string[];
}

/** Another tenant, whose every text is found again should it ever leak. */
export async function makeCanary(product: TeamProduct): Promise<Canary> {
  const mark = `canary-${randomUUID()}`;
  const person = await product.person('canary');
  const { body } = await person.call('POST', '/api/integrations', { label: mark });
  const integrationId = String(body['integrationId']);
  const webhookSecret = String(body['webhookSecret']);
  const path = (rest = ''): string => `/api/integrations/${integrationId}${rest}`;
  const created = { integrationId, webhookSecret };
  const rule = await person.call('POST', path('/notification-rules'), ruleBody({ name: mark }));
  await person.call('POST', path('/saved-views'), { name: mark, filter: { branch: mark } });
  const payload = runPayload({ id: 815, display_title: mark, head_branch: mark, name: mark });
  await postWebhook(product.baseUrl, created, { event: 'workflow_run', payload });
  return {
    values: {
      'foreign.integrationId': integrationId,
      'foreign.ruleId': String(rule.body['ruleId']),
      'foreign.runId': '815',
    },
    texts: [mark, webhookSecret],
  };
}

/** A new integration with one object of every kind that a path of the route table names; the one before is removed. */
export async function makeWorld(
  product: TeamProduct,
  canary: Canary,
  before?: MadeWorld,
): Promise<MadeWorld> {
  if (before !== undefined) await deleteIntegrations(product, before.people.owner);
  const team = await product.newTeam('World');
  const runs = await team.owner.call('GET', team.path('/workflows?limit=1'));
  const values = {
    ...canary.values,
    ...(await objectsOf(product, team)),
    integrationId: team.integrationId,
    userId: team.member.userId,
    publicUrl: product.publicUrl,
    cursor: String(runs.body.nextCursor),
    token: (await invite(team, null, 'viewer')).token,
  };
  const guest = await newBrowser(product.publicUrl, 'guest');
  const cookies = {
    viewer: cookiesOf(team.viewer.browser, product.publicUrl),
    owner: cookiesOf(team.owner.browser, product.publicUrl),
    guest: cookiesOf(guest, product.publicUrl),
  };
  const { integrationId, webhookSecret } = team;
  return { world: { integrationId, webhookSecret, values, cookies }, people: team };
}

/** Signed in from some address: each may sign in only so often. */
async function newBrowser(publicUrl: string, login: string): Promise<CookieClient> {
  const browser = makeCookieClient();
  const address = `10.200.${Date.now() & 255}.${process.uptime() & 255}`;
  await signIn(browser, publicUrl, login, undefined, address);
  return browser;
}

/** All that the person owns, also what random requests have created. Their session may have ended since. */
async function deleteIntegrations({ publicUrl }: TeamProduct, { login }: Person): Promise<void> {
  const browser = await newBrowser(publicUrl, login);
  const answer = await browser.fetch(`${publicUrl}/api/integrations`);
  const { items } = (await answer.json()) as { items: { integrationId: string }[] };
  for (const { integrationId } of items)
    await sendJson(browser, publicUrl, 'DELETE', `/api/integrations/${integrationId}`);
}

/** What the examples of all routes need in their paths. */
async function objectsOf(product: TeamProduct, team: Team): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const [name, example] of Object.entries(examples)) {
    const wanted = [...name.matchAll(/:(\w+)/g)].map(([, param = '']) => param);
    if (wanted.every((param) => param === 'integrationId' || param in values)) continue;
    Object.assign(values, (await example({ product, team, caller: team.owner })).params);
  }
  return values;
}

function cookiesOf({ cookies }: Person['browser'], publicUrl: string): string {
  const { host } = new URL(publicUrl);
  return [...cookies]
    .filter(([key]) => key.startsWith(`${host} `))
    .map(([key, { value }]) => `${key.slice(host.length + 1)}=${value}`)
    .join('; ');
}
