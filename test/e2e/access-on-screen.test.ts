import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDemoUser } from '#server/identity/demo-identity.ts';
import { openPage } from '#test/support/browser.ts';
import { addMember, changeRole, removeMember } from '#test/support/membership-changes.ts';
import { makeIntegration } from '#test/support/realtime-node.ts';
import { signInPage } from '#test/support/demo-sign-in.ts';
import { startTestProgram } from '#test/support/test-program.ts';

const { publicUrl, database, createIntegration } = await startTestProgram();
const mine = await createIntegration('Mine');
const userId = await findDemoUser(database.api);

test('a new membership shows without a reload, and who is removed while looking is led away and told', async () => {
  const joined = await makeIntegration(database);
  const { page, errors } = await openPage();
  await signInPage(page, publicUrl);
  await page.goto(`${publicUrl}/integrations/${mine.integrationId}/runs`);
  await page.getByText('Live', { exact: true }).waitFor();

  await addMember(database, userId, joined);
  await page.getByRole('button', { name: /Integration/ }).click();
  await page.getByRole('menuitemradio', { name: 'test' }).click();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.waitForURL(`**/integrations/${joined}/overview`);
  await page.getByText('Waiting for the first event').waitFor();

  await removeMember(database, userId, joined);
  await page.getByRole('heading', { name: 'You no longer have access' }).waitFor();
  await page.getByRole('link', { name: 'Go to the start' }).click();
  await page.waitForURL(`**/integrations/${mine.integrationId}/overview`);
  await page.getByText('Live', { exact: true }).waitFor();
  // What was asked for at the moment of the removal is refused, and the browser says so by itself.
  assert.deepEqual(
    errors.filter((error) => !error.includes('status of 403')),
    [],
  );
});

test('who is removed before their connection carries the new integration is led away too', async () => {
  const joined = await makeIntegration(database);
  const { page } = await openPage();
  await signInPage(page, publicUrl);
  await page.goto(`${publicUrl}/integrations/${mine.integrationId}/runs`);
  await page.getByText('Live', { exact: true }).waitFor();
  const held = Promise.withResolvers<void>();
  await page.route('**/api/auth/ws-token', async (route) => {
    await held.promise;
    await route.continue();
  });

  await addMember(database, userId, joined);
  await page.getByRole('button', { name: /Integration/ }).click();
  await page.getByRole('menuitemradio', { name: 'test' }).click();
  await page.getByText('Waiting for the first event').waitFor();
  await removeMember(database, userId, joined);
  held.resolve();
  await page.getByRole('heading', { name: 'You no longer have access' }).waitFor();
});

test('who is removed while the page is still on its way is led away too', async () => {
  const joined = await makeIntegration(database);
  await addMember(database, userId, joined);
  const { page } = await openPage();
  await signInPage(page, publicUrl);
  await page.goto(`${publicUrl}/integrations/${mine.integrationId}/runs`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.route('**/assets/overview-route-*', () => {});

  await page.getByRole('button', { name: /Integration/ }).click();
  await page.getByRole('menuitemradio', { name: 'test' }).click();
  await page.waitForURL(`**/integrations/${joined}/overview`);
  await removeMember(database, userId, joined);
  await page.getByRole('heading', { name: 'You no longer have access' }).waitFor();
});

test('who is removed on a page that shows nothing live is led away as well, and nothing of it is kept', async () => {
  const joined = await makeIntegration(database);
  await addMember(database, userId, joined);
  const { page } = await openPage();
  await signInPage(page, publicUrl);
  await page.goto(`${publicUrl}/integrations/${joined}/rules`);
  await page.getByText('Nobody is told of failures yet').waitFor();
  await removeMember(database, userId, joined);
  await page.getByRole('heading', { name: 'You no longer have access' }).waitFor();
  await page.getByRole('link', { name: 'Go to the start' }).click();
  await page.waitForURL(`**/integrations/${mine.integrationId}/overview`);
  await page.getByText('Live', { exact: true }).waitFor();
  await addMember(database, userId, joined);
  await page.route('**/api/integrations/*/notification-rules*', () => {});
  await page.getByRole('button', { name: /Integration/ }).click();
  await page.getByRole('menuitemradio', { name: 'test' }).click();
  await page.getByRole('link', { name: 'Notification rules' }).click();
  await page.getByText('Loading the rules').waitFor();
});

test('another role shows at once what may be done with it', async () => {
  const joined = await makeIntegration(database);
  await addMember(database, userId, joined);
  const { page } = await openPage();
  await signInPage(page, publicUrl);
  await page.goto(`${publicUrl}/integrations/${joined}/settings`);
  await page.getByText('Your role: viewer').waitFor();
  await changeRole(database, userId, joined, 'admin');
  await page.getByText('Your role: admin').waitFor();
  await changeRole(database, userId, joined, 'member');
  await page.getByText('Your role: member').waitFor();
});

test('whom no news reaches learns of another role, and of a removal, by the first refusal', async () => {
  const joined = await makeIntegration(database);
  await addMember(database, userId, joined);
  await changeRole(database, userId, joined, 'admin');
  const { page } = await openPage();
  await page.routeWebSocket(/ws/, () => {});
  await signInPage(page, publicUrl);
  await page.goto(`${publicUrl}/integrations/${joined}/settings`);
  await page.getByText('Your role: admin').waitFor();
  await changeRole(database, userId, joined, 'viewer');
  await page.getByLabel('Name of the integration').fill('Renamed');
  await page.keyboard.press('Enter');
  await page.getByText('Your role: viewer').waitFor();
  await page.getByRole('alert').getByText('This needs the role admin').waitFor();
  await removeMember(database, userId, joined);
  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByRole('heading', { name: 'You no longer have access' }).waitFor();
});

test('who leaves by themselves is not told that they were removed', async () => {
  const joined = await makeIntegration(database);
  await addMember(database, userId, joined);
  const { page } = await openPage();
  await signInPage(page, publicUrl);
  await page.goto(`${publicUrl}/integrations/${joined}/settings`);
  await page.getByText('Your role: viewer').waitFor();
  // The news overtakes the answer.
  await page.route('**/leave', async (route) => {
    const response = await route.fetch();
    await page.waitForURL(`**/integrations/${mine.integrationId}/overview`);
    await route.fulfill({ response });
  });
  await page.getByRole('button', { name: 'Leave…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
  await page.getByText('You left test').waitFor();
});
