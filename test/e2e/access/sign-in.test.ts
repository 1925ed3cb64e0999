import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFineInBothThemes, openPage } from '#test/support/browser/browser.ts';
import { demoAddressOf } from '#test/support/identity/demo-keys.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';

const { publicUrl, createIntegration } = await startTestProgram();
const integration = await createIntegration('Shop');

test('the printed address leaves its key with the browser alone, which then signs in again and again', async () => {
  const { page, errors } = await openPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url(), request.headers()['referer'] ?? ''));
  await page.goto(demoAddressOf(publicUrl));
  for (const _ of ['once', 'again']) {
    await page.getByRole('button', { name: 'Sign in to the demo' }).click();
    await page.getByRole('button', { name: 'Continue as demo user' }).click();
    await page.getByText('Shop').first().waitFor();
    await page.goto(`${publicUrl}/account`);
    const signedOut = page.waitForResponse('**/oidc/session/end*');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await signedOut;
    await page.getByRole('button', { name: 'Sign in to the demo' }).waitFor();
  }
  const withKey = asked.filter((each) => each.includes('key='));
  assert.deepEqual(withKey, [demoAddressOf(publicUrl)], 'requested once and sent to nobody');
  const history = await page.evaluate<string[]>('navigation.entries().map(({ url }) => url)');
  assert.ok(history.length > 1);
  assert.doesNotMatch(history.join(' '), /key=/);
  assert.deepEqual(
    errors.filter((each) => !each.includes('401 (Unauthorized)')),
    [],
  );
});

test('a newcomer without the key reads where it is, pastes the address, and lands where they wanted to go', async () => {
  const { page, errors } = await openPage();
  await page.goto(`${publicUrl}/integrations/${integration.integrationId}/runs`);
  await page.getByRole('button', { name: 'Sign in to the demo' }).click();
  await page.getByRole('heading', { name: 'The demo sign-in needs a key' }).waitFor();
  await isFineInBothThemes(page);
  await page.getByLabel('Key').fill('not the key');
  await page.keyboard.press('Enter');
  await page.getByText('not the key of the running server').waitFor();
  await isFineInBothThemes(page);
  await page.getByLabel('Key').fill(demoAddressOf(publicUrl));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await isFineInBothThemes(page);
  await page.getByRole('button', { name: 'Continue as demo user' }).click();
  await page.waitForURL(`**/integrations/${integration.integrationId}/runs`);
  await page.getByText('Live', { exact: true }).waitFor();
  // Browsers complain of every 401, also of the one that tells the app to show its sign-in page.
  assert.deepEqual(
    errors.filter((each) => !each.includes('401 (Unauthorized)')),
    [],
  );
});
