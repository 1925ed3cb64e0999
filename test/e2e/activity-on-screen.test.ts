import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFineInBothThemes } from '#test/support/browser.ts';
import { runPayload } from '#test/support/forge-events.ts';
import { openAs, sidewaysScroll } from '#test/support/page-session.ts';
import { postWebhook } from '#test/support/post-webhook.ts';
import { startTeamProduct } from '#test/support/team.ts';

const product = await startTeamProduct({}, ['api', 'worker']);

test('a delivery is opened, its way and its body shown, and an admin sends it once more', async () => {
  const team = await product.newTeam();
  const deliveries = `/integrations/${team.integrationId}/deliveries`;
  const { page, errors, go } = await openAs(product, team.admin);
  await go(deliveries);
  await page.getByText('Nothing was delivered yet').waitFor();
  const run = runPayload({ display_title: 'A title to look for' });
  assert.equal(
    (await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: run })).status,
    200,
  );
  await page.reload();
  await page.getByRole('row', { name: /workflow_run.*(Stored|Waiting|Processing)/ }).waitFor();
  await page.getByRole('button', { name: /^Open delivery/ }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Delivery' });
  await dialog.getByText('A title to look for').waitFor();
  await dialog.getByText('verified').waitFor();
  await isFineInBothThemes(page);
  await dialog.getByRole('button', { name: 'Replay' }).click();
  await page.getByText('in the queue once more').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('row', { name: /replayed/ }).waitFor({ timeout: 20_000 });
  await isFineInBothThemes(page);
  assert.deepEqual(errors, []);

  const viewer = await openAs(product, team.viewer, { width: 390, height: 800 });
  await viewer.go(deliveries);
  const open = viewer.page.getByRole('button', { name: /^Open delivery/ }).first();
  await open.press('Enter');
  assert.equal(await viewer.page.getByRole('dialog').count(), 0);
  assert.equal(await open.getAttribute('aria-disabled'), 'true');
  assert.equal(await sidewaysScroll(viewer.page), 0);
});

test('an admin sees why a message is dead, sends it again, and drops it; a viewer is told whom to ask', async () => {
  const team = await product.newTeam();
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: { action: 'completed' } });
  const { page, errors, go } = await openAs(product, team.admin);
  await go(`/integrations/${team.integrationId}/dead-letters`);
  const letter = page.getByRole('row', { name: /invalid_payload/ });
  await letter.waitFor({ timeout: 20_000 });
  await isFineInBothThemes(page);
  await letter.getByRole('button', { name: /^Redrive/ }).click();
  await page.getByText('1 message is queued again').waitFor();
  await letter.waitFor({ timeout: 20_000 });
  await letter.getByRole('button', { name: /^Drop/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Drop', exact: true }).click();
  await page.getByText('No dead letters').waitFor();
  assert.deepEqual(errors, []);

  const viewer = await openAs(product, team.viewer);
  await viewer.go(`/integrations/${team.integrationId}/dead-letters`);
  await viewer.page.getByText('Dead letters are for admins').waitFor();
});
