import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessibilityFaults, openPage } from '#test/support/browser/browser.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { signInPage } from '#test/support/identity/demo-sign-in.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';

const { baseUrl, publicUrl, createIntegration } = await startTestProgram();
const integration = await createIntegration('Screen team');

test('a webhook that is posted while the page is open changes its row on screen', async () => {
  const { page, errors } = await openPage();
  await signInPage(page, publicUrl);
  await page.goto(`${publicUrl}/integrations/${integration.integrationId}/runs`);
  await page.getByText('Live', { exact: true }).waitFor();

  const row = page.getByRole('row').filter({ hasText: 'Draw the map' }).filter({ hasText: '#27' });
  const seen = [
    { state: { status: 'queued' }, text: 'Queued' },
    { state: { status: 'in_progress' }, text: 'Running' },
    { state: { status: 'completed', conclusion: 'timed_out' }, text: 'Timed out' },
  ];
  const startedAt = Date.now() - 60_000;
  for (const [index, { state, text }] of seen.entries()) {
    const [created_at, updated_at] = [startedAt, startedAt + index * 1000].map((ms) =>
      new Date(ms).toISOString(),
    );
    const payload = runPayload({
      display_title: 'Draw the map',
      run_number: 27,
      created_at,
      updated_at,
      ...state,
    });
    assert.equal((await postWebhook(baseUrl, integration, { event: 'workflow_run', payload })).status, 200);
    await row.filter({ hasText: text }).waitFor();
  }
  assert.deepEqual(errors, []);
});

test('the page meets the accessibility rules in both themes', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await openPage();
    await page.emulateMedia({ colorScheme });
    await signInPage(page, publicUrl);
    await page.goto(`${publicUrl}/integrations/${integration.integrationId}/runs`);
    await page.getByText('Live', { exact: true }).waitFor();
    assert.deepEqual(await accessibilityFaults(page), [], colorScheme);
  }
});
