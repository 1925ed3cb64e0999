import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSimulator } from '#server/simulate/simulator.ts';
import { accessibilityFaults, openPage } from '#test/support/browser/browser.ts';
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

  const lifecycle = createSimulator({ seed: 'screen', startAt: new Date() }).story('push');
  const runs = lifecycle.filter((event) => event.eventType === 'workflow_run');
  const runId = runs[0]?.payload.workflow_run.id;
  const ofRun = runs.filter((event) => event.payload.workflow_run.id === runId);
  const title = ofRun[0]?.payload.workflow_run.display_title ?? '';
  const number = `#${ofRun[0]?.payload.workflow_run.run_number}`;
  const row = page.getByRole('row').filter({ hasText: title }).filter({ hasText: number });

  const post = async (event: (typeof ofRun)[number] | undefined): Promise<void> => {
    assert.ok(event);
    const { status } = await postWebhook(baseUrl, integration, {
      event: event.eventType,
      payload: event.payload,
      deliveryId: event.deliveryId,
    });
    assert.equal(status, 200);
  };
  await post(ofRun[0]);
  await row.waitFor();
  await post(ofRun.find((event) => event.payload.action === 'in_progress'));
  await row.filter({ hasText: 'Running' }).waitFor();
  await post(ofRun.find((event) => event.payload.action === 'completed'));
  await row
    .filter({ hasText: /Passed|Failed|Cancelled|Timed out|Skipped|Startup failure|Action required/ })
    .waitFor();
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
