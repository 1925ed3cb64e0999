import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { accessibilityFaults, openPage } from '#test/support/browser/browser.ts';
import { giveSession } from '#test/support/identity/give-session.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct();
const { publicUrl, provider } = product;
const team = await product.newTeam('Shop');
const membersUrl = `${publicUrl}/integrations/${team.integrationId}/members`;

async function openSession(t: TestContext, login = 'viewer'): Promise<Page> {
  const { page } = await openPage();
  t.after(() => page.context().close());
  await giveSession(page, publicUrl, await product.newSession(login));
  await page.goto(membersUrl);
  await page.getByRole('table', { name: 'Members' }).waitFor();
  return page;
}

/** Simulates an expired access token: the browser has dropped the cookie. */
const expire = (page: Page): Promise<void> =>
  page.context().clearCookies({ name: /^(accessToken|idToken)$/ });

const refreshes = (): number => provider.tokenCalls.filter((call) => call === 'refresh_token').length;

async function signInAtProvider(page: Page, login: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('input[name=login]').fill(login);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('a session with expired tokens is renewed silently, and the request succeeds', async (t) => {
  const page = await openSession(t);
  const before = refreshes();
  await expire(page);
  await page.reload();
  await page.getByRole('table', { name: 'Members' }).waitFor();
  assert.equal(refreshes(), before + 1);
  assert.equal(page.url(), membersUrl);
});

test('two tabs that find expired tokens renew them once', async (t) => {
  const first = await openSession(t);
  const second = await first.context().newPage();
  await second.goto(`${publicUrl}/account`);
  await second.getByRole('heading', { name: 'Profile' }).waitFor();
  const sent: string[] = [];
  for (const page of [first, second]) {
    page.on('request', (request) => {
      if (request.url().endsWith('/api/auth/refresh')) sent.push(page.url());
    });
  }
  await expire(first);
  provider.tokenDelayMs = 400;
  await Promise.all([first, second].map((page) => page.goto(membersUrl)));
  await Promise.all([first, second].map((page) => page.getByRole('table', { name: 'Members' }).waitFor()));
  provider.tokenDelayMs = 0;
  assert.equal(sent.length, 1);
});

test('an ended session opens the sign-in page in every tab, and a sign-in leads all tabs back', async (t) => {
  const first = await openSession(t, 'member');
  const second = await first.context().newPage();
  await second.goto(`${publicUrl}/account`);
  await second.getByRole('heading', { name: 'Profile' }).waitFor();
  await first.context().clearCookies({ name: /Token$/ });
  await first.getByRole('link', { name: 'Settings' }).click();
  await Promise.all([first, second].map((page) => page.getByRole('button', { name: 'Sign in' }).waitFor()));
  await Promise.all([first, second].map((page) => page.getByText('Your session has ended').waitFor()));
  assert.equal(new URL(second.url()).searchParams.get('to'), '/account');
  await signInAtProvider(first, 'member');
  await first.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  assert.equal(first.url(), membersUrl.replace('/members', '/settings'));
  await second.getByRole('heading', { name: 'Profile' }).waitFor();
  assert.equal(second.url(), `${publicUrl}/account`);
});

test('an unreachable identity provider signs nobody out and shows a temporary notice', async (t) => {
  const page = await openSession(t);
  await provider.stop();
  await expire(page);
  await page.goto(membersUrl);
  await page.getByText('The identity provider does not answer. You stay signed in').waitFor();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await provider.start();
  await page.getByRole('table', { name: 'Members' }).waitFor();
  await waitUntil('the notice to go', async () => !(await page.getByText('You stay signed in').isVisible()));
});

test('a sign-in of another person in another tab clears the data on screen', async (t) => {
  const first = await openSession(t, 'owner');
  const second = await first.context().newPage();
  await second.goto(`${publicUrl}/account`);
  await second.getByText('owner@example.com', { exact: true }).waitFor();
  await giveSession(first, publicUrl, await product.newSession('member'));
  await first.reload();
  await second.getByText('member@example.com', { exact: true }).waitFor();
  assert.equal(await second.getByText('owner@example.com').count(), 0);
});

test('the sign-out buttons stay in place while the account loads, and work when it fails', async (t) => {
  const page = await openSession(t);
  const held = Promise.withResolvers<void>();
  for (const path of ['**/api/user', '**/api/invitations*']) {
    await page.route(path, async (route) => {
      await held.promise;
      await (path.endsWith('user') ? route.fulfill({ status: 500, body: '' }) : route.continue());
    });
  }
  await page.goto(`${publicUrl}/account`);
  const signOut = page.getByRole('button', { name: 'Sign out', exact: true });
  const before = await signOut.boundingBox();
  held.resolve();
  await page.getByText('The account could not be loaded').waitFor();
  assert.deepEqual(await signOut.boundingBox(), before);
  await page.unroute('**/api/user');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No open invitations.').waitFor();
  assert.deepEqual(await signOut.boundingBox(), before);
});

test('signing out ends the session in every tab', async (t) => {
  const first = await openSession(t, 'admin');
  const second = await first.context().newPage();
  await second.goto(`${publicUrl}/account`);
  await second.getByRole('heading', { name: 'Profile' }).waitFor();
  await first.goto(`${publicUrl}/account`);
  await first.getByRole('button', { name: 'Sign out', exact: true }).click();
  await second.getByRole('button', { name: 'Sign in' }).waitFor();
  await second.goto(membersUrl);
  await second.getByRole('button', { name: 'Sign in' }).waitFor();
});

test('the end of a session asks before a form with input is left, and a sign-in in another tab saves it', async (t) => {
  const page = await openSession(t, 'member');
  await page.goto(membersUrl.replace('/members', '/rules/new'));
  await page.getByLabel('Webhook URL or mail addresses').fill('https://hooks.example.com/x');
  const second = await page.context().newPage();
  await second.goto(`${publicUrl}/account`);
  await second.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await page.getByRole('button', { name: 'Keep editing' }).press('Enter');
  await giveSession(second, publicUrl, await product.newSession('member'));
  await second.goto(`${publicUrl}/account`);
  await second.getByRole('heading', { name: 'Profile' }).waitFor();
  await page.getByRole('button', { name: 'Create rule' }).press('Enter');
  await page.getByRole('row', { name: /Broken default branch/ }).waitFor();
});

test('the sign-in page explains failures, works by keyboard and keeps the accessibility rules', async (t) => {
  const { page, errors } = await openPage({ width: 390, height: 844 });
  t.after(() => page.context().close());
  for (const [code, words] of [
    ['sign_in_not_bound', 'The sign-in does not belong to this browser session'],
    ['sign_in_refused', 'The identity provider did not sign you in'],
    ['identity_provider_failed', 'The sign-in was not completed'],
    ['of_a_later_version', 'The sign-in failed'],
  ]) {
    await page.goto(`${publicUrl}/sign-in?error=${code}`);
    await page
      .getByRole('alert')
      .getByText(words ?? '')
      .waitFor();
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await accessibilityFaults(page), [], colorScheme);
  }
  assert.deepEqual(errors, []);
  await page.keyboard.press('Enter');
  await page.locator('input[name=login]').waitFor();
});

test('a signed-in person is forwarded from the sign-in page, except after a failure', async (t) => {
  const page = await openSession(t);
  await page.goto(`${publicUrl}/sign-in?to=/account`);
  await page.getByRole('heading', { name: 'Profile' }).waitFor();
  assert.equal(page.url(), `${publicUrl}/account`);
  await page.goto(`${publicUrl}/sign-in?error=sign_in_not_bound`);
  await page.waitForLoadState('networkidle');
  await page.getByRole('alert').getByText('another person is signed in here').waitFor();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
});

test('the sign-in page reads every response to its end, so the network becomes idle', async (t) => {
  const { page } = await openPage();
  t.after(() => page.context().close());
  await page.goto(`${publicUrl}/sign-in`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.waitForLoadState('networkidle');
});

test('a sign-in never redirects to another site', async (t) => {
  for (const to of ['https://evil.example/', '//evil.example/', '/\\evil.example', 'javascript:alert(1)']) {
    const { page } = await openPage();
    t.after(() => page.context().close());
    await page.goto(`${publicUrl}/sign-in?to=${encodeURIComponent(to)}`);
    await signInAtProvider(page, 'viewer');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    assert.equal(page.url(), `${publicUrl}/`);
  }
});
