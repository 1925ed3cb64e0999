import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { endOfRun } from '#test/support/alerts/alert-program.ts';
import { openPage } from '#test/support/browser/browser.ts';
import { openAs } from '#test/support/browser/page-session.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { giveSession } from '#test/support/identity/give-session.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { failImport, follow, shows } from '#test/support/browser/app-parts.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const team = await product.newTeam('Shop');
const failed = { event: 'workflow_run', payload: endOfRun(1, 'failure', 1) } as const;
await postWebhook(product.baseUrl, team, failed);

const inIntegration = (page: string): string => `/integrations/${team.integrationId}/${page}`;

/** Pages with a text that appears with their data. */
const pages = [
  ['overview', inIntegration('overview'), 'Success rate'],
  ['overview with filters', inIntegration('overview?range=7d&show=unacknowledged'), 'Success rate'],
  ['metrics', inIntegration('metrics'), 'Workflows that failed most'],
  [
    'metrics with filters',
    inIntegration('metrics?days=2&branch=default&groupBy=workflow'),
    'Workflows that failed most',
  ],
  ['settings', inIntegration('settings'), 'Danger zone'],
  ['a run', inIntegration('runs/1'), 'Fix <b>everything</b>'],
  ['home', '/', 'Shop'],
] as const;

/** The requests of a page to the API, without the time that some of them contain. */
function watchRequests(page: Page): Set<string> {
  const paths = new Set<string>();
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    searchParams.delete('from');
    if (pathname.startsWith('/api/')) paths.add(`${request.method()} ${pathname}?${searchParams}`);
  });
  return paths;
}

/** Removes the early start from the page. */
async function withoutEarlyStart(page: Page): Promise<void> {
  await page.route('**/*', async (route) => {
    if (route.request().resourceType() !== 'document') return route.fallback();
    const response = await route.fetch();
    const body = await response.text();
    const stripped = body.replace(/<script>[^]*?<\/script>/, '');
    assert.notEqual(stripped, body);
    return route.fulfill({ response, body: stripped });
  });
}

for (const [name, address, text] of pages) {
  test(`${name} sends early exactly what it requests without an early start`, async () => {
    const open = async (prepare: (page: Page) => Promise<void> = async () => {}) => {
      const { page, errors } = await openPage();
      // The same for all, because an address signs in 20 times a minute.
      await giveSession(page, product.publicUrl, team.member.browser);
      const requests = watchRequests(page);
      await prepare(page);
      await page.goto(product.publicUrl + address);
      await page.getByText(text).first().waitFor();
      return { page, errors, requests };
    };
    const plain = await open(withoutEarlyStart);
    const early = await open();
    const listed = (requests: Set<string>): string[] => [...requests].sort();
    await waitUntil(
      'the same requests',
      async () => listed(plain.requests).join('\n') === listed(early.requests).join('\n'),
    );
    await waitUntil('the app to take every early answer', () =>
      early.page.evaluate('globalThis.forgewatchEarly.size === 0'),
    );
    assert.ok(early.requests.size >= 2);
    assert.deepEqual(early.errors, []);
    for (const { page } of [plain, early]) await page.context().close();
  });
}

test('a person with expired tokens sees the page, and a visitor without a session the sign-in page', async () => {
  const { page, errors, go } = await openAs(product, team.member);
  await page.context().clearCookies({ name: /^(accessToken|idToken)$/ });
  await go(`/integrations/${team.integrationId}/overview`);
  await page.getByText('Success rate').first().waitFor();
  assert.deepEqual(
    errors.filter((error) => !error.includes('401')),
    [],
  );
  await page.context().clearCookies();
  await page.reload();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.context().close();
});

test('a page whose module fails to load asks to reload and keeps the input until then', async (t) => {
  const { page, go } = await openAs(product, team.owner);
  t.after(() => page.context().close());
  await failImport(page);
  await go(inIntegration('settings'));
  await page.evaluate('window.isSamePage = true');
  await page.getByLabel('Name of the integration').fill('Shop and more');
  await follow(page, inIntegration('members'));
  await page.getByText('The page could not be loaded because the connection failed').waitFor();
  assert.equal(await page.getByText('A new version').count(), 0);
  assert.equal(await page.getByLabel('Name of the integration').inputValue(), 'Shop and more');
  assert.equal(await page.evaluate('window.isSamePage'), true);
  await page.unroute('**/assets/members-page*');
  await page.getByRole('button', { name: 'Reload' }).click();
  await shows(page, 'viewer@example.com');
});

/** Simulates a server update: the files of the open page are gone. Counts its reloads. */
async function removePart(page: Page, options: { isBack: boolean }): Promise<() => number> {
  let loads = 0;
  page.on('request', (request) => void (loads += Number(request.isNavigationRequest())));
  await page.route('**/assets/members-page*', (route) =>
    options.isBack && loads > 0 ? route.continue() : route.fulfill({ status: 404, body: '' }),
  );
  return () => loads;
}

/** Goes to the page of members after such an update. */
async function followToMissingPart(t: TestContext, options: { isBack: boolean }) {
  const { page, go } = await openAs(product, team.owner);
  t.after(() => page.context().close());
  await go(inIntegration('rules'));
  await shows(page, 'No notification rules');
  const loads = await removePart(page, options);
  await follow(page, inIntegration('members'));
  return { page, loads };
}

test('a missing page file reloads the app once to get the new version', async (t) => {
  const { page, loads } = await followToMissingPart(t, { isBack: true });
  await shows(page, 'viewer@example.com');
  assert.equal(loads(), 1);
});

test('a page that is still missing after the reload shows an error without another reload', async (t) => {
  const { page, loads } = await followToMissingPart(t, { isBack: false });
  await page.getByRole('alert').getByText('Something went wrong').waitFor();
  assert.equal(loads(), 1);
});

test('a new version waits for the person when the page has unsaved input', async (t) => {
  const { page, go } = await openAs(product, team.owner);
  t.after(() => page.context().close());
  await go(inIntegration('settings'));
  await page.getByLabel('Name of the integration').fill('Shop and more');
  const loads = await removePart(page, { isBack: true });
  await follow(page, inIntegration('members'));
  await page.getByText('A new version is installed').waitFor();
  assert.equal(await page.getByLabel('Name of the integration').inputValue(), 'Shop and more');
  assert.equal(loads(), 0);
  await page.getByRole('button', { name: 'Reload' }).click();
  await shows(page, 'viewer@example.com');
});
