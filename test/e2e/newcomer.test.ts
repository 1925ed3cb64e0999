import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { APIResponse } from 'playwright-core';
import { accessibilityFaults, isFineInBothThemes, openPage } from '#test/support/browser/browser.ts';
import { demoAddressOf } from '#test/support/identity/demo-keys.ts';
import { signInPage } from '#test/support/identity/demo-sign-in.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { startMailServer } from '#test/support/network/mail-server.ts';
import { hasFocus, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const mailServer = await startMailServer();
const { publicUrl } = await startTestProgram({ SMTP_URL: mailServer.url });

const now = (): string => new Date().toISOString();

test('a newcomer signs in, creates an integration, copies URL and secret, sees the first event arrive, and is notified about a failure', async () => {
  const { page, errors } = await openPage();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: publicUrl });
  const clipboard = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');

  await page.goto(demoAddressOf(publicUrl));
  await page.getByRole('button', { name: 'Sign in to the demo' }).press('Enter');
  await page.getByRole('button', { name: 'Continue as demo user' }).press('Enter');

  await page.getByRole('heading', { name: 'Welcome: create your first integration' }).waitFor();
  await hasFocus(page.getByLabel('Name'));
  await page.keyboard.press('Enter');
  await page.getByText('Enter a name.').waitFor();
  await page.keyboard.type('Shop');
  await page.keyboard.press('Enter');

  await page.getByRole('heading', { name: 'Connect the forge' }).waitFor();
  await page.getByRole('button', { name: 'Copy webhook URL' }).press('Enter');
  await page.getByText('Copied webhook URL').waitFor({ state: 'attached' });
  const url = await clipboard();
  await page.getByRole('button', { name: 'Copy secret' }).press('Enter');
  await page.getByText('Copied secret').waitFor({ state: 'attached' });
  const webhookSecret = await clipboard();
  await page.getByText('Waiting for the first event').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await accessibilityFaults(page), [], colorScheme);
  }

  const integrationId = url.split('/').at(-1) ?? '';
  const forge = (event: string, payload: object) =>
    postWebhook(publicUrl, { integrationId, webhookSecret }, { event, payload });
  assert.equal((await forge('ping', { zen: 'Keep it logically awesome.' })).status, 200);
  await page.getByText('Connected: the forge reached this integration').waitFor();
  const run = runPayload({ id: 1, status: 'queued', display_title: 'First steps', created_at: now() });
  assert.equal((await forge('workflow_run', run)).status, 200);
  await page.getByText('Receiving events').waitFor();
  await page.getByRole('link', { name: 'View runs' }).press('Enter');
  const row = page.getByRole('row').filter({ hasText: 'First steps' });
  await row.waitFor();

  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.getByRole('link', { name: 'New rule' }).press('Enter');
  await hasFocus(page.getByLabel('Webhook URL or mail addresses'));
  await page.keyboard.type('me@example.com');
  await page.keyboard.press('Enter');
  await page.getByText('Rule created').waitFor();
  await page.getByRole('heading', { name: 'Notification rules', exact: true }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('w');
  await row.waitFor();
  const end = { status: 'completed', conclusion: 'failure', updated_at: now(), run_started_at: now() };
  const failed = runPayload({ ...run.workflow_run, ...end, head_branch: 'main', name: 'CI' });
  assert.equal((await forge('workflow_run', failed)).status, 200);
  await row.filter({ hasText: 'Failed' }).waitFor();
  await waitUntil('the alert to be mailed', () =>
    mailServer.mails.some(({ to }) => to.includes('me@example.com')),
  );
  assert.deepEqual(
    errors.filter((each) => !each.includes('401 (Unauthorized)')),
    [],
  );
});

test('the secret is shown this once: a reload says where to get another one', async () => {
  const { page } = await openPage({ width: 390, height: 844 });
  await page.goto(demoAddressOf(publicUrl));
  await page.goto(`${publicUrl}/integrations/new`);
  await page.getByRole('button', { name: 'Sign in to the demo' }).click();
  await page.getByRole('button', { name: 'Continue as demo user' }).click();
  await page.getByRole('heading', { name: 'Create an integration' }).waitFor();
  await page.getByLabel('Name').fill('Second');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Copy secret' }).waitFor();
  assert.equal(await sidewaysScroll(page), 0);
  await page.reload();
  await page.getByText('The secret was shown when the integration was created.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Copy secret' }).count(), 0);
});

test('a newcomer without a forge sends sample traffic by one key, and sees runs at once and why they failed', async () => {
  const { page, errors } = await openPage();
  await signInPage(page, publicUrl, 'Nora');
  await page.goto(`${publicUrl}/integrations/new`);
  await page.getByLabel('Name').fill('Trial');
  await page.keyboard.press('Enter');
  const send = page.getByRole('button', { name: 'Send sample traffic' });
  await send.press('Enter');
  await page.getByText('Receiving events').waitFor();
  await page.getByRole('link', { name: 'View runs' }).press('Enter');
  await page.getByRole('row').filter({ hasText: 'Passed' }).first().waitFor();
  // From the log of a failed job.
  const failed = page
    .getByRole('row')
    .filter({ hasText: /TypeError|AssertionError|want 1001|toomanyrequests/ });
  await failed.first().waitFor({ timeout: 120_000 });
  assert.deepEqual(errors, []);
});

test('the empty list of runs offers sample traffic too, says how much comes, and that one is on its way already', async () => {
  const { page } = await openPage({ width: 390, height: 844 });
  await signInPage(page, publicUrl, 'Noah');
  await page.goto(`${publicUrl}/integrations/new`);
  await page.getByLabel('Name').fill('Phone trial');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/connect');
  const runs = page.url().replace('/connect', '/runs');
  const other = await page.context().newPage();
  for (const one of [page, other]) {
    // Neither list may fill before the button is pressed in both.
    let first: Promise<APIResponse> | undefined;
    await one.route('**/workflows?*', async (route) => {
      first ??= route.fetch();
      await route.fulfill({ response: await first });
    });
    await one.routeWebSocket(/ws/, () => {});
    await one.goto(runs);
    await one.getByRole('button', { name: 'Send sample traffic' }).waitFor();
  }
  await page.getByRole('button', { name: 'Send sample traffic' }).press('Enter');
  await page.getByText(/Sending \d+ events over \d+ seconds/).waitFor();
  await other.getByRole('button', { name: 'Send sample traffic' }).press('Enter');
  await other.getByText('Sample traffic is already being sent.').waitFor();
  await isFineInBothThemes(other);
  assert.equal(await sidewaysScroll(other), 0);
});

test('an admin removes the sample data again by one button, and open screens are empty at once', async () => {
  const { page, errors } = await openPage();
  await signInPage(page, publicUrl, 'Rosa');
  await page.goto(`${publicUrl}/integrations/new`);
  await page.getByLabel('Name').fill('Cleared');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Send sample traffic' }).press('Enter');
  await page.getByText('Receiving events').waitFor();
  const runs = await page.context().newPage();
  await runs.goto(page.url().replace('/connect', '/runs'));
  await runs.getByRole('row').filter({ hasText: 'Passed' }).first().waitFor();

  const remove = page.getByRole('button', { name: 'Remove sample data…' });
  await remove.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Remove the sample data?' });
  await dialog.getByText('all data of your forge').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.keyboard.press('Escape');
  await hasFocus(remove);
  await remove.press('Enter');
  await dialog.getByRole('button', { name: 'Remove sample data' }).press('Enter');
  await page.getByText('Sample data removed').waitFor();
  await page.getByText('Waiting for the first event').waitFor();
  await runs.getByText('Waiting for the first event').waitFor();
  assert.equal(await runs.getByRole('row').filter({ hasText: 'Passed' }).count(), 0);
  await page.goto(page.url().replace('/connect', '/settings'));
  await page.getByRole('heading', { name: 'Danger zone' }).waitFor();
  assert.equal(await remove.count(), 0);
  assert.deepEqual(errors, []);
});
