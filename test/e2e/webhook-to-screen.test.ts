import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { createSimulator } from '#server/simulate/lifecycle.ts';
import { openPage } from '#test/support/browser.ts';
import { postWebhook } from '#test/support/post-webhook.ts';
import { startTestProgram } from '#test/support/test-program.ts';

const { baseUrl, createIntegration } = await startTestProgram();
const integration = await createIntegration('Screen team');

test('a webhook that is posted while the page is open changes its row on screen', async () => {
  const { page, errors } = await openPage();
  await page.goto(`${baseUrl}/integrations/${integration.integrationId}/runs`);
  await page.getByText('Live', { exact: true }).waitFor();

  const lifecycle = createSimulator({ seed: 'screen', startAt: new Date() }).nextLifecycle('push');
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
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await openPage();
    await page.emulateMedia({ colorScheme });
    await page.goto(`${baseUrl}/integrations/${integration.integrationId}/runs`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.evaluate(axe);
    const violations = await page.evaluate(async () => {
      const { axe: run } = globalThis as unknown as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      };
      return (await run.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    });
    assert.deepEqual(violations, [], colorScheme);
  }
});
