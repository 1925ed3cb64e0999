import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessibilityFaults, openPage } from '#test/support/browser.ts';
import { startTestProgram } from '#test/support/test-program.ts';

const { publicUrl, createIntegration } = await startTestProgram();
const integration = await createIntegration('Shop');

test('a newcomer is asked to sign in, does so on the demo page, and lands where they wanted to go', async () => {
  const { page, errors } = await openPage();
  await page.goto(`${publicUrl}/integrations/${integration.integrationId}/runs`);
  await page.getByRole('button', { name: 'Sign in to the demo' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await accessibilityFaults(page), [], colorScheme);
  }
  await page.getByRole('button', { name: 'Continue as demo user' }).click();
  await page.waitForURL(`**/integrations/${integration.integrationId}/runs`);
  await page.getByText('Live', { exact: true }).waitFor();
  // Browsers complain of every 401, also of the one that tells the app to show its sign-in page.
  assert.deepEqual(
    errors.filter((each) => !each.includes('401 (Unauthorized)')),
    [],
  );
});
