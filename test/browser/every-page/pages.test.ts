import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { endOfJob, endOfRun } from '#test/support/alerts/alert-program.ts';
import { isFine, isFineInBothThemes } from '#test/support/browser/browser.ts';
import { cutParts, openAs, sidewaysScroll, visit } from '#test/support/browser/page-session.ts';
import { pullRequestPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { startTeamProduct, type Person, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
let people = 0;
const busy = await busyTeam();
const quiet = await product.newTeam('Quiet');
const unlucky = await another(busy);
const receiverId = await newReceiver(busy);

/** An integration with something on every page. */
async function busyTeam(): Promise<Team> {
  const team = await product.newTeam('Busy');
  const channels = [{ type: 'email' as const, to: ['team@example.com'] }];
  await team.admin.call('POST', team.path('/notification-rules'), ruleBody({ channels }));
  const post = (event: string, payload: object) =>
    postWebhook(product.baseUrl, team, { event, payload: payload as Record<string, unknown> });
  await post('workflow_run', endOfRun(1, 'success', -900));
  await post('workflow_run', endOfRun(2, 'failure', -600));
  await post('workflow_job', endOfJob(2, 21, 'failure', -600));
  const pull = { number: 12, title: 'Add a discount', head: { ref: 'topic', sha: 'a'.repeat(40) } };
  await post('pull_request', pullRequestPayload({ ...pull, base: { ref: 'main' } }, { number: 12 }));
  await post('workflow_run', { action: 'completed' });
  await waitUntil('the incident and the dead letter to be there', async () => {
    const [incidents, deadLetters] = await Promise.all([
      team.admin.call('GET', team.path('/incidents')),
      team.admin.call('GET', team.path('/dead-letters')),
    ]);
    return incidents.body.items.length === 1 && deadLetters.body.items.length === 1;
  });
  return team;
}

/** Another admin: a test opens a page a second or faster, and a person gets sixty sockets a minute. */
async function another({ integrationId }: Team): Promise<Person> {
  people += 1;
  const person = await product.person(`admin-${people}`);
  await product.setRole(integrationId, person, 'admin');
  return person;
}

/** A webhook subscription to which nothing was sent. */
async function newReceiver(team: Team): Promise<string> {
  const { body } = await team.admin.call('POST', team.path('/webhook-subscriptions'), {
    name: 'Chat bot',
    url: 'https://chat-bot.invalid/in',
    eventTypes: ['run.completed'],
  });
  return String(body['subscriptionId']);
}

/** Each page with a text that appears after it is loaded. */
const pages = [
  ['overview', 'Needs attention'],
  ['runs', 'Failed'],
  ['runs/2', 'test (21)'],
  ['pull-requests?show=open', 'Add a discount'],
  ['pull-requests/12', 'Checks of'],
  ['tests', 'No failed tests'],
  ['event-log', /is red/],
  ['deliveries', 'acme/site'],
  ['dead-letters', 'invalid_payload'],
  ['metrics?days=30&groupBy=workflow', 'Workflows that failed most'],
  ['what-changed', 'Too few runs to compare'],
  ['health', 'Red periods'],
  ['queue', 'Waiting for a runner'],
  ['workflow?repository=acme%2Fsite&workflow=CI', 'Slowest jobs'],
  ['jobs', 'test (21)'],
  ['members', 'viewer@example.com'],
  ['rules', 'Broken main'],
  ['incidents', /Open for/],
  ['rules/new', /would have matched/],
  ['settings', 'Data retention'],
] as const;

// Each opens a page a second, and a person gets sixty sockets a minute. Colours do not depend on the width.
for (const [width, height, role, themes] of [
  [1280, 800, 'admin', ['light', 'dark']],
  [390, 844, 'owner', ['light']],
] as const) {
  test(`at ${width} pixels every filled page keeps the accessibility rules`, async () => {
    const { page, errors, go } = await openAs(product, busy[role], { width, height });
    for (const [path, text] of pages) {
      await visit({ page, go }, `/integrations/${busy.integrationId}/${path}`);
      await page.getByText(text).first().waitFor({ state: 'attached' });
      await page
        .getByText(/^Loading /)
        .first()
        .waitFor({ state: 'detached' });
      assert.equal(await sidewaysScroll(page), 0, path);
      assert.deepEqual(await cutParts(page), [], path);
      await isFine(page, themes);
    }
    assert.deepEqual(errors, []);
  });

  test(`at ${width} pixels every empty page says so and keeps the accessibility rules`, async () => {
    const { page, errors, go } = await openAs(product, await another(quiet), { width, height });
    for (const [path, text] of [
      ['overview', 'Waiting for the first event'],
      ['runs', 'Waiting for the first event'],
      ['runs/2', 'Run not found'],
      ['runs/2/jobs/21/log', 'Job not found'],
      ['pull-requests?show=mine', 'No open pull requests of yours'],
      ['pull-requests?show=open', 'Show all pull requests'],
      ['pull-requests?show=all', 'Check the events of the webhook'],
      ['pull-requests/2', 'Pull request not found'],
      ['failures', 'No failures'],
      ['failures/0f8d8a4c-26a1-4b8e-8f0a-5a2f6ed1c0de', 'Failure not found'],
      ['jobs', 'No completed jobs'],
      ['jobs?job=test', 'Clear filters'],
      ['deliveries', 'No deliveries yet'],
      ['dead-letters', 'No dead letters'],
      ['metrics', 'No completed runs in this period'],
      ['what-changed', 'Too few runs to compare'],
      ['health', 'No results in this period'],
      ['queue', 'No job waits or runs'],
      ['workflow', 'No workflow chosen'],
      ['workflow?repository=acme%2Fsite&workflow=CI', 'No runs of this workflow'],
      ['settings/background-work', 'No background work'],
      ['rules', 'No notification rules'],
      ['incidents?status=open', 'No open incidents'],
      ['rules/0f8d8a4c-26a1-4b8e-8f0a-5a2f6ed1c0de', 'Rule not found'],
      ['rules/new', 'No workflow has run yet'],
    ] as const) {
      await visit({ page, go }, `/integrations/${quiet.integrationId}/${path}`);
      await page.getByText(text).first().waitFor();
      assert.equal(await sidewaysScroll(page), 0, path);
      await isFine(page, themes);
    }
    assert.deepEqual(
      errors.filter((each) => !each.includes('404 (Not Found)')),
      [],
    );
  });
}

const byName = (role: 'button', name: string | RegExp) => (page: Page) =>
  page.getByRole(role, { name }).first().press('Enter');

/** Dialogs and menus: page, how to open, role. */
const overlays = [
  ['runs', byName('button', 'Status'), 'listbox'],
  ['runs', byName('button', 'Workflow'), 'listbox'],
  ['runs', byName('button', 'Views'), 'menu'],
  ['runs', (page: Page) => page.keyboard.press('Control+k'), 'dialog'],
  ['runs', (page: Page) => page.keyboard.press('?'), 'dialog'],
  ['metrics?days=30&groupBy=workflow', byName('button', 'Group by'), 'menu'],
  ['deliveries', byName('button', 'Time'), 'menu'],
  ['deliveries', byName('button', /^Open delivery/), 'dialog'],
  ['dead-letters', byName('button', /^Drop/), 'dialog'],
  ['members', byName('button', 'Invite…'), 'dialog'],
  ['rules', byName('button', /^Delete /), 'dialog'],
  ['rules', byName('button', /^Notifications of /), 'dialog'],
  ['rules/new', byName('button', /^Branch/), 'dialog'],
  ['settings', byName('button', 'Replace secret…'), 'dialog'],
  ['settings', byName('button', /^Transfer/), 'dialog'],
  ['settings', byName('button', /^Delete/), 'dialog'],
  ['rules/new', leaveRule, 'dialog'],
] as const;

/** With changes, so that the page asks. */
async function leaveRule(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Notify nobody' }).press('Enter');
  await page.getByRole('button', { name: 'Cancel' }).press('Enter');
}

for (const [width, height, themes] of [
  [1280, 800, ['light', 'dark']],
  [390, 844, ['light']],
] as const) {
  test(`at ${width} pixels every dialog and menu keeps the accessibility rules`, async (t) => {
    const { page, go } = await openAs(product, busy.owner, { width, height });
    for (const [path, open, role] of overlays) {
      await t.test(`${path} ${overlays.findIndex((each) => each[1] === open)}`, async () => {
        await visit({ page, go }, `/integrations/${busy.integrationId}/${path}`);
        const text = pages.find(([each]) => each === path)?.[1] ?? '';
        await page.getByText(text).first().waitFor({ state: 'attached' });
        await open(page);
        const overlay = page.getByRole(role).first();
        await overlay.waitFor();
        assert.equal(await sidewaysScroll(page), 0);
        await isFine(page, themes);
        await page.keyboard.press('Escape');
        await overlay.waitFor({ state: 'detached' });
      });
    }
  });
}

test('on the narrowest screens with and without columns nothing scrolls sideways or is cut off', async () => {
  const { incidentId, version } = (await busy.admin.call('GET', busy.path('/incidents'))).body.items[0]!;
  // The button that takes it back is the widest.
  const change = { version, acknowledged: true };
  await busy.admin.call('PATCH', busy.path(`/incidents/${String(incidentId)}`), change);
  const own = pages.map(([path, text]) => [`/integrations/${busy.integrationId}/${path}`, text] as const);
  // As with 400 % zoom, and the least width of tables with columns. For a finger controls are larger.
  for (const width of [320, 1024]) {
    const { page, go } = await openAs(product, await another(busy), { width, height: 640, hasTouch: true });
    for (const [path, text] of [['/', 'Red default branches'], ['/account', 'Session'], ...own] as const) {
      await visit({ page, go }, path);
      await page.getByText(text).first().waitFor({ state: 'attached' });
      assert.equal(await sidewaysScroll(page), 0, `${path} at ${width} pixels`);
      assert.deepEqual(await cutParts(page), [], `${path} at ${width} pixels`);
    }
  }
});

/** Makes the server fail for these addresses until `repair` is called. */
async function breakServer(page: Page, addresses: string): Promise<{ repair(): void }> {
  let isBroken = true;
  const problem = { code: 'internal', detail: 'Something went wrong on our side.', requestId: 'request-7' };
  await page.route(addresses, (route) =>
    isBroken ? route.fulfill({ status: 500, json: problem }) : route.continue(),
  );
  return { repair: () => void (isBroken = false) };
}

for (const [path, what, addresses, text] of [
  ['overview', 'overview', '**/overview?*', 'Needs attention'],
  ['runs', 'runs', '**/workflows?*', 'Failed'],
  ['runs/2', 'run', '**/workflows/2', 'test (21)'],
  ['pull-requests?show=open', 'pull requests', '**/api/**/pull-requests?*', 'Add a discount'],
  ['pull-requests/12', 'pull request', '**/api/**/pull-requests/12*', 'Checks of'],
  ['deliveries', 'deliveries', '**/deliveries?*', 'acme/site'],
  ['dead-letters', 'dead letters', '**/dead-letters?*', 'invalid_payload'],
  ['metrics', 'metrics', '**/metrics?*', 'Workflows that failed most'],
  ['what-changed', 'changes', '**/what-changed?*', 'Too few runs to compare'],
  ['workflow?repository=acme%2Fsite&workflow=CI', 'workflow', '**/workflows/facets?*', 'Slowest jobs'],
  ['members', 'members', '**/members?*', 'viewer@example.com'],
  ['rules', 'rules', '**/notification-rules?*', 'Broken main'],
  ['incidents', 'incidents', '**/incidents?*', /Open for/],
  [
    `settings/webhooks/${receiverId}`,
    'webhooks',
    '**/webhook-receivers/**',
    'No webhooks in the last 7 days',
  ],
] as const) {
  test(`when the ${what} fail to load, the page shows the request id and can retry by keyboard`, async () => {
    const { page, go } = await openAs(product, unlucky, { width: 390, height: 844 });
    const server = await breakServer(page, addresses);
    await go(`/integrations/${busy.integrationId}/${path}`);
    const alert = page.getByRole('alert').filter({ hasText: `The ${what} could not be loaded` });
    await alert.getByText('request-7').waitFor();
    assert.equal(await sidewaysScroll(page), 0);
    await isFineInBothThemes(page);
    const again = alert.getByRole('button', { name: 'Try again' });
    await again.focus();
    server.repair();
    // A live page may recover first.
    await page.keyboard.press('Enter');
    await page.getByText(text).first().waitFor({ state: 'attached' });
    await alert.waitFor({ state: 'detached' });
  });
}
