import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfRun } from '#test/support/alerts/alert-program.ts';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';

const product = await startTeamProduct({}, ['api', 'worker']);

const ago = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();

test('a member tests and creates a rule for a workflow that did not run', async () => {
  const team = await product.newTeam();
  for (const [id, hours] of [[1, 40] as const, [2, 8] as const]) {
    const times = { created_at: ago(hours), run_started_at: ago(hours), updated_at: ago(hours) };
    await postWebhook(product.baseUrl, team, {
      event: 'workflow_run',
      payload: endOfRun(id, 'success', 0, times),
    });
  }
  const { page, errors, go } = await openAs(product, team.member, { width: 390, height: 844 });
  await go(`/integrations/${team.integrationId}/rules/new`);
  await page.locator('summary').press('Enter');
  await page.getByLabel('Watch for').selectOption('A workflow that did not run');
  assert.equal(await page.getByLabel('Failed', { exact: true }).count(), 0, 'conclusions are for failures');
  await page.getByLabel('At least one run in (hours)').fill('6');
  await page.getByLabel('Name', { exact: true }).fill('Nightly');
  await page.getByText('Did not run for 6 h').first().waitFor();
  await isFineInBothThemes(page);
  assert.equal(await sidewaysScroll(page), 0);
  await page.getByRole('button', { name: 'Notify nobody' }).press('Enter');
  await page.getByRole('button', { name: 'Create rule' }).press('Enter');
  await page.getByText('no run in 6 h').waitFor();
  await page.getByRole('row', { name: /CI.*Open for.*Did not run for 6 h/ }).waitFor();
  await go(`/integrations/${team.integrationId}/overview`);
  await page.getByRole('row', { name: /CI.*Did not run for 6 h/ }).waitFor();
  assert.deepEqual(errors, []);
});
