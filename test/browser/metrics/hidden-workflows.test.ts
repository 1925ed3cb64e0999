import { test } from 'node:test';
import assert from 'node:assert/strict';
import { endOfRun } from '#test/support/alerts/alert-program.ts';
import { accessibilityFaults } from '#test/support/browser/browser.ts';
import { openAs } from '#test/support/browser/page-session.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';

const product = await startTeamProduct({}, ['api', 'worker']);

test('an admin names the owner of a red workflow on its page, hides it, and shows it again on the overview', async () => {
  const team = await product.newTeam('Shop');
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: endOfRun(1, 'failure', 1) });
  const { page, errors, go } = await openAs(product, team.admin);
  const at = `/integrations/${team.integrationId}`;
  await go(`${at}/overview`);
  const red = page.getByRole('table', { name: 'Needs attention' }).getByRole('row', { name: /CI/ });
  await red.waitFor();
  await page.getByRole('table', { name: 'Workflows' }).getByRole('link', { name: 'CI', exact: true }).click();
  await page.getByRole('button', { name: 'Set owner…' }).click();
  await page.getByLabel('Owner', { exact: true }).selectOption('member');
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole('button', { name: 'Save owner' }).click();
  await page.getByText('Owner: member').waitFor();
  await page.getByText('Owned by member').waitFor();
  await page.getByRole('button', { name: 'Hide…' }).click();
  await page.getByRole('button', { name: 'Hide', exact: true }).click();
  await page.getByText(/^Hidden .* by/).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await go(`${at}/overview`);
  await page.getByText(/^No broken workflows on default branches/).waitFor();
  const hidden = page.getByRole('table', { name: 'Hidden workflows' });
  await hidden.getByRole('row', { name: /CI.*acme\/site/ }).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await hidden.getByRole('button', { name: 'Show again CI' }).click();
  await red.waitFor();
  await hidden.waitFor({ state: 'detached' });
  assert.deepEqual(errors, []);
});
