import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { endOfRun } from '#test/support/alerts/alert-program.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import {
  idOf,
  startNotificationReceiver,
  typeOf,
  type ReceivedCall,
} from '#test/support/alerts/notification-receiver.ts';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import {
  chooseItem,
  escapeTo,
  hasFocus,
  openAs,
  sidewaysScroll,
} from '#test/support/browser/page-session.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const receiver = await startNotificationReceiver(60_000);
const product = await startTeamProduct(
  { ALERT_ALLOWED_NETWORKS: '127.0.0.1/32', ALERT_ALLOWED_PORTS: String(receiver.port) },
  ['api', 'worker'],
);
const team = await product.newTeam('Shop');
const settings = `/integrations/${team.integrationId}/settings`;
const urlOf = (path: string): string => `https://127.0.0.1:${receiver.port}${path}`;

const sectionOf = (page: Page): Locator => page.getByRole('region', { name: 'Outgoing webhooks' });
const runsTo = (path: string): ReceivedCall[] =>
  receiver.callsTo(path).filter((call) => typeOf(call) === 'run.completed');

async function isFine(page: Page): Promise<void> {
  assert.equal(await sidewaysScroll(page), 0);
  await isFineInBothThemes(page);
}

test('an admin adds a subscription, verifies its webhooks, and replays one from the delivery log', async () => {
  const { page, go, errors } = await openAs(product, team.admin);
  await go(settings);
  const section = sectionOf(page);
  await section.getByText('No subscriptions.').waitFor();
  await section.getByRole('button', { name: 'Add subscription…' }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Chat bot');
  await dialog.getByLabel('URL', { exact: true }).fill(`https://10.0.0.1:${receiver.port}/in`);
  const add = dialog.getByRole('button', { name: 'Add subscription', exact: true });
  await dialog.getByLabel('Run completed').uncheck();
  await add.press('Enter');
  await page.getByText('Select at least one event.').waitFor();
  await dialog.getByLabel('Run completed').check();
  await add.press('Enter');
  await page.getByText(/private address/).waitFor();
  await isFineInBothThemes(page);
  await dialog.getByLabel('URL', { exact: true }).fill(urlOf('/bot'));
  await add.press('Enter');
  await page.getByText('Subscription added.').waitFor();
  await page.keyboard.press('Escape');
  const secret = (await dialog.locator('code').textContent()) ?? '';
  await page.getByRole('button', { name: 'I have saved it' }).press('Enter');
  await section.getByText('Nothing sent yet').waitFor();
  assert.equal((await page.content()).includes(secret), false);

  await section.getByRole('button', { name: 'Send a test to Chat bot' }).press('Enter');
  await section.getByText('Working').waitFor();
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: endOfRun(1, 'failure', -60) });
  const [sent] = await waitUntil('the event', () => {
    const calls = runsTo('/bot');
    return calls.length > 0 && calls;
  });
  new Webhook(secret).verify(sent!.body, sent!.headers as Record<string, string>);

  await section.getByRole('link', { name: 'Delivery log of Chat bot' }).press('Enter');
  await page.getByRole('heading', { name: 'Webhooks to Chat bot' }).waitFor();
  const row = page.getByRole('row').filter({ hasText: 'Run completed' });
  await row.getByText('Sent', { exact: true }).waitFor();
  assert.match((await row.textContent()) ?? '', /200, \d+ ms/);
  await isFine(page);
  await row.getByRole('button', { name: 'Open webhook' }).press('Enter');
  await dialog.getByText('Accepted with 200').waitFor();
  assert.match((await dialog.locator('pre').textContent()) ?? '', /"runId": 1,/);
  await isFine(page);
  await dialog.getByRole('button', { name: 'Replay' }).press('Enter');
  await dialog.getByText('Accepted with 200').nth(1).waitFor();
  const replayed = runsTo('/bot').at(-1)!;
  assert.deepEqual([runsTo('/bot').length, idOf(replayed), replayed.body], [2, idOf(sent!), sent!.body]);
  await escapeTo(row.getByRole('button', { name: 'Open webhook' }));
  await page.getByRole('button', { name: /^Event/ }).press('Enter');
  await chooseItem(page, 'Member added');
  await page.waitForURL(/type=member\.added/);
  await page.getByText('No webhooks match these filters').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await row.getByText('Sent', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await section.getByText('Working').waitFor();

  await go(`/integrations/${team.integrationId}/event-log?type=webhook_subscription`);
  await page.getByText('The webhook subscription “Chat bot” to').first().click();
  await page.getByRole('link', { name: 'View delivery log' }).click();
  await page.getByRole('heading', { name: 'Webhooks to Chat bot' }).waitFor();
  assert.deepEqual(
    errors.filter((error) => !error.includes('400 (Bad Request)')),
    [],
  );
});

test('a failing receiver says why, on a phone; after its repair the failed webhooks are replayed', async () => {
  const { status } = await team.admin.call('POST', team.path('/webhook-subscriptions'), {
    name: 'Deployment service of the second team',
    url: urlOf('/500'),
    eventTypes: ['run.completed', 'failure_group.opened', 'member.added'],
  });
  assert.equal(status, 201);
  const { page, go } = await openAs(product, team.admin, { width: 390, height: 844 });
  await go(settings);
  const item = sectionOf(page).getByRole('listitem').filter({ hasText: 'Deployment service' });
  const button = (name: string): Locator => item.getByRole('button', { name });
  await button('Send a test').click();
  await item.getByText('Failing').waitFor();
  await item.getByText('The receiver answered 500. Next attempt at').waitFor();
  await isFine(page);
  await item.getByRole('link', { name: '1 waiting' }).click();
  await page.getByText('Next attempt at').waitFor();
  await isFine(page);
  await page.getByRole('link', { name: 'Back to settings' }).click();

  await button('Disable').press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).press('Enter');
  await item.getByRole('link', { name: '1 failed' }).waitFor();
  await button('Edit').press('Enter');
  await page.getByLabel('New URL').fill(urlOf('/repaired'));
  await page.getByRole('button', { name: 'Save subscription' }).press('Enter');
  await button('Enable').press('Enter');
  await hasFocus(button('Disable'));
  await item.getByText('Nothing sent yet').waitFor();
  await item.getByRole('link', { name: '1 failed' }).click();
  await page.getByRole('button', { name: 'Replay failed…' }).click();
  await page.getByRole('button', { name: 'Replay failed', exact: true }).click();
  await page.getByText('1 webhook is queued again.').waitFor();
  await isFine(page);
  await waitUntil('the replay', () => receiver.callsTo('/repaired').length === 1);
  await page.getByRole('button', { name: 'Close' }).first().click();
  await page.getByText('No webhooks match these filters').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByText('Sent', { exact: true }).waitFor();
});

test('an admin replaces the signing secret and deletes the subscription; a viewer sees why they cannot', async () => {
  const own = await product.newTeam('Garden');
  const { body } = await own.admin.call('POST', own.path('/webhook-subscriptions'), {
    name: 'Archive',
    url: urlOf('/archive'),
    eventTypes: ['run.completed'],
  });
  const path = `/integrations/${own.integrationId}/settings`;
  const asViewer = await openAs(product, own.viewer);
  await asViewer.go(path);
  const theirs = sectionOf(asViewer.page);
  await theirs.locator('p', { hasText: 'this is for admins and the owner' }).waitFor();
  for (const name of ['Add subscription…', 'Send a test to Archive', 'Delete Archive'])
    assert.equal(await theirs.getByRole('button', { name }).getAttribute('aria-disabled'), 'true', name);
  await theirs.getByRole('link', { name: 'Delivery log of Archive' }).click();
  await asViewer.page.getByText('No webhooks in the last 7 days').waitFor();
  await isFine(asViewer.page);
  const rule = ruleBody({ channels: [{ type: 'webhook', url: urlOf('/rule') }] });
  await own.admin.call('POST', own.path('/notification-rules'), rule);
  await asViewer.go(`/integrations/${own.integrationId}/rules`);
  await asViewer.page.getByRole('button', { name: `Notifications of ${rule.name}` }).click();
  await asViewer.page.getByRole('link', { name: 'Delivery log of 127.0.0.1' }).click();
  await asViewer.page.getByRole('heading', { name: `Webhooks to the rule ${rule.name}` }).waitFor();
  await asViewer.page.getByText('A webhook appears here when the rule notifies.').waitFor();

  const { page, go } = await openAs(product, own.admin);
  await go(path);
  const section = sectionOf(page);
  await section.getByRole('button', { name: 'Replace the signing secret of Archive' }).press('Enter');
  await page.getByRole('button', { name: 'Replace secret', exact: true }).press('Enter');
  await page.getByText('Secret replaced.').waitFor();
  assert.match((await page.getByRole('dialog').locator('code').textContent()) ?? '', /^whsec_/);
  await isFineInBothThemes(page);
  await page.getByRole('button', { name: 'I have saved it' }).press('Enter');
  await section.getByText('The previous signing secret signs too until').waitFor();
  await section.getByRole('button', { name: 'Delete Archive' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
  await section.getByText('No subscriptions.').waitFor();

  await go(`${path}/webhooks/${String(body['subscriptionId'])}`);
  await page.getByText('Subscription not found').waitFor();
  await page.getByRole('link', { name: 'View settings' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Status' }).count(), 0);
  await isFine(page);
});
