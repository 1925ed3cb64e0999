import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { isFineInBothThemes, type PageOptions } from '#test/support/browser/browser.ts';
import { startInterruptibleProxy } from '#test/support/network/interruptible-proxy.ts';
import { openAs, sidewaysScroll, watchShifts } from '#test/support/browser/page-session.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { endOfRun } from '#test/support/alerts/alert-program.ts';
import { startTeamProduct, type Person } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { failImport, follow, shows } from '#test/support/browser/app-parts.ts';

const serverPort = await freePort();
const product = await startTeamProduct({ PORT: String(serverPort) }, ['api', 'worker']);
const proxy = await startInterruptibleProxy(Number(new URL(product.publicUrl).port), serverPort);
const team = await product.newTeam('Shop');
await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: endOfRun(1, 'failure', -600) });

const inIntegration = (page: string): string => `/integrations/${team.integrationId}/${page}`;

/** Every page, with a text that appears only when its data is loaded. */
const pages = [
  [inIntegration('overview'), 'Needs attention'],
  [inIntegration('runs'), '1 run'],
  [inIntegration('runs/1'), 'acme/site'],
  [inIntegration('pull-requests?show=open'), 'No open pull requests'],
  [inIntegration('pull-requests/12'), 'Pull request not found'],
  [inIntegration('failures'), 'No failures'],
  [inIntegration('event-log'), 'was created'],
  [inIntegration('deliveries'), 'acme/site'],
  [inIntegration('dead-letters'), 'No dead letters'],
  [inIntegration('metrics'), 'Workflows that failed most'],
  [inIntegration('what-changed'), 'Too few runs to compare'],
  [inIntegration('jobs'), 'No completed jobs'],
  [inIntegration('members'), 'viewer@example.com'],
  [inIntegration('rules'), 'No notification rules'],
  [inIntegration('settings'), 'Name of the integration'],
  [inIntegration('settings/webhooks/0f8d8a4c-26a1-4b8e-8f0a-5a2f6ed1c0de'), 'Subscription not found'],
  [inIntegration('connect'), 'Add the webhook'],
  ['/account', 'My integrations'],
  ['/integrations/new', 'An integration is a set'],
  ['/invitations/accept', 'Incomplete link'],
  ['/unsubscribe', 'Incomplete link'],
  ['/forge-app/installed', 'The application is not installed yet'],
  ['/', 'Red default branches'],
] as const;

/** Each test begins with the members. */
const isLoaded = (path: string): boolean => path === inIntegration('members');

interface Network {
  lose(page: Page): Promise<void>;
  find(page: Page): Promise<void>;
}

const networks: Record<string, Network> = {
  'the device loses its network': {
    lose: (page) => page.context().setOffline(true),
    find: (page) => page.context().setOffline(false),
  },
  'the server stops': { lose: () => proxy.interrupt(), find: () => proxy.restore() },
};

interface OwnPage {
  page: Page;
  /** Opens an address and marks the page to detect a reload. */
  openAt(path: string): Promise<void>;
}

/** Opens a page for one test. Afterwards the server is reachable again, whatever the test did. */
async function openFor(t: TestContext, person: Person = team.owner, options?: PageOptions): Promise<OwnPage> {
  const { page, go } = await openAs(product, person, options);
  t.after(async () => {
    await proxy.restore();
    await page.context().close();
  });
  const openAt = async (path: string): Promise<void> => {
    await go(path);
    await page.evaluate('window.isSamePage = true');
  };
  return { page, openAt };
}

/** A file of a part of the app. */
const isPart = (request: Request): boolean => request.url().includes('/assets/');

const banner = (page: Page) => page.getByText(/^Offline\. Last update \d+:\d\d/);
for (const [index, [event, network]] of Object.entries(networks).entries()) {
  test(`when ${event}, pages open after the recovery and loaded data stays`, async (t) => {
    // Each person may send 600 requests a minute and connect 60 times.
    const { page, openAt } = await openFor(t, index === 0 ? team.owner : team.admin);
    await openAt(inIntegration('members'));
    await shows(page, 'viewer@example.com');
    await network.lose(page);
    for (const [path, text] of pages) {
      await t.test(path.replace(team.integrationId, 'ID'), async () => {
        const refusal = isLoaded(path) ? undefined : page.waitForEvent('requestfailed', isPart);
        await follow(page, path);
        await refusal;
        await banner(page).waitFor();
        if (path !== '/') await shows(page, 'viewer@example.com');
        await network.find(page);
        await shows(page, text);
        await banner(page).waitFor({ state: 'detached' });

        await network.lose(page);
        await follow(page, inIntegration('members'));
        await shows(page, 'viewer@example.com');
        await banner(page).waitFor();
        assert.equal(await page.evaluate('window.isSamePage'), true);
      });
    }
    await network.find(page);
    await banner(page).waitFor({ state: 'detached' });
  });
}
test('after the browser was idle, every page opens offline and loads its data later', async (t) => {
  const { page, openAt } = await openFor(t, team.owner, { fetchesAllParts: true });
  await openAt(inIntegration('runs'));
  await allPartsFetched(page);
  await networks['the device loses its network']?.lose(page);
  await banner(page).waitFor();
  for (const [name, heading] of [
    ['overview', 'Overview'],
    ['pull-requests', 'Pull requests'],
    ['failures', 'Failures'],
    ['event-log', 'Event log'],
    ['metrics', 'Metrics'],
    ['what-changed', 'What changed'],
    ['jobs', 'Jobs'],
    ['members', 'Members'],
    ['rules', 'Notification rules'],
    ['settings', 'Settings'],
    ['connect', 'Connect the forge'],
  ] as const) {
    await follow(page, inIntegration(name));
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  }
  await follow(page, inIntegration('members'));
  await page.getByText('The members could not be loaded').waitFor();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    assert.equal(await sidewaysScroll(page), 0);
    await isFineInBothThemes(page);
  }
  await page.context().setOffline(false);
  await shows(page, 'viewer@example.com');
  await page.getByText('The members could not be loaded').waitFor({ state: 'detached' });
  assert.equal(await page.evaluate('window.isSamePage'), true);
});

test('a change without a network fails in its form, keeps the input and can be repeated', async (t) => {
  const { page, openAt } = await openFor(t);
  await openAt('/integrations/new');
  await page.getByLabel('Name').fill('Mobile apps');
  await proxy.interrupt();
  const send = page.getByRole('button', { name: 'Create integration' });
  await send.click();
  await page.getByRole('alert').getByText('The server does not answer').waitFor();
  await banner(page).waitFor();
  assert.equal(await page.getByLabel('Name').inputValue(), 'Mobile apps');
  await proxy.restore();
  await banner(page).waitFor({ state: 'detached' });
  await send.click();
  await page.getByRole('heading', { name: 'Connect the forge' }).waitFor();
});

test('the list of runs is live and complete after the server returns', async (t) => {
  const { page, openAt } = await openFor(t);
  await openAt(inIntegration('runs'));
  const mark = page.getByRole('status', { name: 'Connection' });
  await mark.getByText('Live').waitFor();
  const shifts = await watchShifts(page);
  await proxy.interrupt();
  await banner(page).waitFor();
  const shifted = await shifts();
  assert.ok(shifted < 0.02, String(shifted));
  await mark.getByText('Offline').waitFor();
  const run = endOfRun(2, 'success', -30, { display_title: 'Sent meanwhile' });
  await postWebhook(product.program.localUrl ?? '', team, { event: 'workflow_run', payload: run });
  await proxy.restore();
  await shows(page, 'Sent meanwhile');
  await mark.getByText('Live').waitFor();
  await banner(page).waitFor({ state: 'detached' });
});

test('while the notice about the connection is shown, loaded data does not say that it may be out of date', async (t) => {
  const { page, openAt } = await openFor(t);
  await openAt(inIntegration('members'));
  await shows(page, 'viewer@example.com');
  await follow(page, inIntegration('rules'));
  await shows(page, 'No notification rules');
  await page.context().setOffline(true);
  await banner(page).waitFor();
  let failed = 0;
  page.on('requestfailed', (request) => (failed += Number(request.url().includes('/members'))));
  await follow(page, inIntegration('members'));
  await shows(page, 'viewer@example.com');
  // A read is repeated twice before it fails.
  await waitUntil('the read to fail', () => failed >= 3);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  assert.equal(await page.getByText('may be out of date').count(), 0);
  await page.context().setOffline(false);
  await banner(page).waitFor({ state: 'detached' });
});

test('expired tokens are renewed after an outage, and an ended session opens the sign-in page', async (t) => {
  const { page, openAt } = await openFor(t, team.admin);
  await openAt(inIntegration('members'));
  await shows(page, 'viewer@example.com');
  await page.context().setOffline(true);
  await banner(page).waitFor();
  await page.context().clearCookies({ name: /^(accessToken|idToken)$/ });
  await follow(page, inIntegration('rules'));
  await page.context().setOffline(false);
  await shows(page, 'No notification rules');
  await page.context().setOffline(true);
  await banner(page).waitFor();
  await page.context().clearCookies({ name: /Token$/ });
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
});

test('responses of a proxy in place of the server count as no response', async (t) => {
  const { page, openAt } = await openFor(t);
  await openAt(inIntegration('runs'));
  await shows(page, /^\d+ runs?$/);
  const pageOfProxy = { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' };
  await page.route(/\/(api\/|config\.json)/, (route) => route.fulfill(pageOfProxy));
  await follow(page, inIntegration('members'));
  await banner(page).waitFor();
  await page.getByText('The server does not answer. Check your connection').first().waitFor();
  await page.unroute(/\/(api\/|config\.json)/);
  await shows(page, 'viewer@example.com');
  await banner(page).waitFor({ state: 'detached' });
});

test('a page that exceeded the rate limit loads when the limit ends', async (t) => {
  const { page, openAt } = await openFor(t);
  const refusal = { code: 'too_many_requests', title: 'Too many requests', detail: 'Retry in 1 s.' };
  const address = '**/api/integrations?*';
  await page.route(address, (route) =>
    route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json: refusal }),
  );
  await openAt(inIntegration('members'));
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  const [asked, limit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(address, async (route) => {
    asked.resolve();
    await limit.promise;
    await route.continue();
  });
  await asked.promise;
  // The error stays while the app asks again.
  await again.click();
  await page.getByRole('button', { name: 'Trying again…' }).waitFor();
  await shows(page, 'Retry in 1 s.');
  limit.resolve();
  await shows(page, 'viewer@example.com');
  assert.equal(await page.evaluate('window.isSamePage'), true);
});

/** Waits until the idle browser fetched the files of every part of the app. */
const allPartsFetched = (page: Page) =>
  waitUntil('the files of all parts', () =>
    page.evaluate<boolean>(`document.querySelector('meta[name=parts]').content.split(',')
      .flatMap((part) => part.split(' ').slice(1))
      .every((file) => performance.getEntriesByName(location.origin + '/' + file)
        .some(({ responseEnd }) => responseEnd > 0))`),
  );

test('an outage while the browser is idle breaks no page', async (t) => {
  const { page, openAt } = await openFor(t, team.owner, { fetchesAllParts: true });
  await failImport(page);
  await openAt(inIntegration('settings'));
  await page.getByLabel('Name of the integration').fill('Shop and more');
  await allPartsFetched(page);
  await page.unroute('**/assets/members-page*');
  await follow(page, inIntegration('members'));
  await shows(page, 'viewer@example.com');
  assert.equal(await page.evaluate('window.isSamePage'), true);
});
