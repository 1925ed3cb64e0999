import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { findOrCreateDemoUser } from '#server/identity/demo-identity.ts';
import { openPage } from '#test/support/browser/browser.ts';
import { addToTeam, removeFromTeam, setRole } from '#test/support/team/people.ts';
import { signInPage } from '#test/support/identity/demo-sign-in.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';

const { publicUrl, database, createIntegration } = await startTestProgram();
const mine = await createIntegration('Mine');
const userId = await findOrCreateDemoUser(database.api);

/** A page of an integration, signed in. */
async function open(path: string) {
  const opened = await openPage();
  await signInPage(opened.page, publicUrl);
  await opened.page.goto(`${publicUrl}/integrations/${path}`);
  return opened;
}

const isLive = (page: Page) => page.getByText('Live', { exact: true }).waitFor();

const isLedAway = (page: Page) => page.getByRole('heading', { name: 'You no longer have access' }).waitFor();

async function chooseJoined(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Integration/ }).click();
  await page.getByRole('menuitemradio', { name: 'Test' }).click();
}

async function goToStart(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Go to the start page' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.getByRole('link', { name: 'Mine' }).click();
  await page.waitForURL(`**/integrations/${mine.integrationId}/overview`);
  await isLive(page);
}

test('a new membership appears without a reload, and removal closes the open page with a message', async () => {
  const joined = await insertIntegration(database);
  const { page, errors } = await open(`${mine.integrationId}/runs`);
  await isLive(page);

  await addToTeam(database, joined, userId, 'viewer');
  await chooseJoined(page);
  await isLive(page);
  await page.waitForURL(`**/integrations/${joined}/overview`);
  await page.getByText('Waiting for the first event').waitFor();

  await removeFromTeam(database, joined, userId);
  await isLedAway(page);
  await goToStart(page);
  // The request that was pending at the removal is refused, and the browser logs it.
  assert.deepEqual(
    errors.filter((error) => !error.includes('status of 403')),
    [],
  );
});

test('removal closes the page when the connection does not carry the new integration yet', async () => {
  const joined = await insertIntegration(database);
  const { page } = await open(`${mine.integrationId}/runs`);
  await isLive(page);
  const held = Promise.withResolvers<void>();
  await page.route('**/api/auth/ws-token', async (route) => {
    await held.promise;
    await route.continue();
  });

  await addToTeam(database, joined, userId, 'viewer');
  await chooseJoined(page);
  await page.getByText('Waiting for the first event').waitFor();
  await removeFromTeam(database, joined, userId);
  held.resolve();
  await isLedAway(page);
});

test('removal closes the page while it is still loading', async () => {
  const joined = await insertIntegration(database);
  await addToTeam(database, joined, userId, 'viewer');
  const { page } = await open(`${mine.integrationId}/runs`);
  await isLive(page);
  await page.route('**/assets/overview-route-*', () => {});

  await chooseJoined(page);
  await page.waitForURL(`**/integrations/${joined}/overview`);
  await removeFromTeam(database, joined, userId);
  await isLedAway(page);
});

test('removal closes a page without live data, and its cached data is dropped', async () => {
  const joined = await insertIntegration(database);
  await addToTeam(database, joined, userId, 'viewer');
  const { page } = await open(`${joined}/rules`);
  await page.getByText('No notification rules').waitFor();
  await removeFromTeam(database, joined, userId);
  await isLedAway(page);
  await goToStart(page);
  await addToTeam(database, joined, userId, 'viewer');
  await page.route('**/api/integrations/*/notification-rules*', () => {});
  await chooseJoined(page);
  await page.getByRole('link', { name: 'Notification rules' }).click();
  await page.getByText('Loading the rules').waitFor();
});

test('a role change applies at once', async () => {
  const joined = await insertIntegration(database);
  await addToTeam(database, joined, userId, 'viewer');
  const { page } = await open(`${joined}/settings`);
  await page.getByText('Your role: viewer').waitFor();
  await setRole(database, joined, userId, 'admin');
  await page.getByText('Your role: admin').waitFor();
  await setRole(database, joined, userId, 'member');
  await page.getByText('Your role: member').waitFor();
});

test('the first refusal reveals a role change or removal when no live message arrives', async () => {
  const joined = await insertIntegration(database);
  await addToTeam(database, joined, userId, 'viewer');
  await setRole(database, joined, userId, 'admin');
  const { page } = await openPage();
  await page.routeWebSocket(/ws/, () => {});
  await signInPage(page, publicUrl);
  await page.goto(`${publicUrl}/integrations/${joined}/settings`);
  await page.getByText('Your role: admin').waitFor();
  await page.getByLabel('Name of the integration').fill('Renamed');
  // A page without a socket asks again now and then, and would show no field.
  await setRole(database, joined, userId, 'viewer');
  await page.keyboard.press('Enter');
  await page.getByText('Your role: viewer').waitFor();
  await page.getByRole('alert').getByText('This requires the role admin').waitFor();
  await removeFromTeam(database, joined, userId);
  await page.getByRole('link', { name: 'Members' }).click();
  await isLedAway(page);
});

test('leaving an integration shows no removal message', async () => {
  const joined = await insertIntegration(database);
  await addToTeam(database, joined, userId, 'viewer');
  const { page } = await open(`${joined}/settings`);
  await page.getByText('Your role: viewer').waitFor();
  // The live message arrives before the response.
  await page.route('**/leave', async (route) => {
    const response = await route.fetch();
    await page.waitForURL(({ pathname }) => pathname === '/');
    await route.fulfill({ response });
  });
  await page.getByRole('button', { name: 'Leave…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
  await page.getByText('You left Test').waitFor();
});
