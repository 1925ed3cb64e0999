import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessibilityFaults, isFineInBothThemes } from '#test/support/browser/browser.ts';
import { forgeAppEnv, startForgeApi } from '#test/support/forge/forge-api-server.ts';
import { newRepository, newRun } from '#test/support/forge/forge-repositories.ts';
import { openAs } from '#test/support/browser/page-session.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { linkAccount } from '#test/support/team/people.ts';

const forge = await startForgeApi();
const product = await startTeamProduct(forgeAppEnv(forge), ['api', 'worker']);
forge.setupUrl = `${product.publicUrl}/forge-app/installed`;

test('an owner links an organization, sees members, webhooks and history, and unlinks it', async () => {
  const team = await product.newTeam();
  const boss = { id: 1, login: 'owner' };
  await linkAccount(product.database, team.owner.userId, 1);
  forge.members = [boss, { id: 2, login: 'somebody' }];
  forge.admins.add(boss.id);
  const repository = newRepository('octo-org/octo-repo');
  repository.runs = Array.from({ length: 40 }, (_, hours) =>
    newRun(repository, new Date(Date.now() - (hours + 1) * 3_600_000)),
  );
  forge.repositories.set(77, [repository]);
  const { page, errors, go } = await openAs(product, team.owner);
  await go(`/integrations/${team.integrationId}/settings`);
  await page.getByRole('button', { name: 'Link an organization…' }).press('Enter');
  await page.waitForURL(`**/integrations/${team.integrationId}/settings`);
  await page.getByText('octo-org', { exact: true }).waitFor();
  await page.getByText('2 members, synced').waitFor();
  await page.getByText('1 of 1 repository').waitFor();

  // Page 2 waits until the progress is visible.
  let isHeld = true;
  forge.interfere = (call) =>
    isHeld && call.endsWith('/runs page 2') ? { status: 429, headers: { 'retry-after': '1' } } : undefined;
  await page.getByLabel('Start from').selectOption('7');
  await page.getByRole('button', { name: 'Import history' }).press('Enter');
  await page.getByText('30 runs imported, 0 of 1 repository finished').waitFor();
  assert.equal(await page.getByRole('progressbar').count(), 1);
  isHeld = false;
  await page.getByText('40 runs from 1 repository, imported').waitFor();
  const answered = page.waitForResponse((response) => response.url().endsWith('/sync'));
  await page.getByRole('button', { name: 'Sync now' }).press('Enter');
  assert.equal((await answered).status(), 202);
  await page.locator('button:enabled', { hasText: 'Sync now' }).waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  await isFineInBothThemes(page);
  await page.getByRole('button', { name: 'Unlink octo-org' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink', exact: true }).click();
  await page.getByText('octo-org was unlinked').waitFor();

  // After a change of an existing installation the forge returns no proof.
  await go('/forge-app/installed?installation_id=77&setup_action=update');
  await page.getByText('Link its organization to Team').waitFor();
  const { body } = await team.owner.call('GET', team.path('/forge-app'));
  assert.deepEqual(body['installations'], [], 'nothing is linked unasked');
  await page.getByRole('button', { name: 'Link organization' }).click();
  await page.getByText('octo-org', { exact: true }).waitFor();
  await go('/forge-app/installed?setup_action=request');
  await page.getByText('The application is not installed yet.').waitFor();
  assert.deepEqual(errors, []);
});

test('linking fails for a person who does not administer the organization', async () => {
  const team = await product.newTeam();
  forge.members = [];
  forge.admins.clear();
  const { page, go } = await openAs(product, team.admin);
  await go(`/integrations/${team.integrationId}/settings`);
  await page.getByRole('button', { name: 'Link an organization…' }).click();
  await page.waitForURL('**/forge-app/installed?**');
  await page.getByRole('alert').getByText(/forge/).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);

  const stranger = await openAs(product, team.viewer);
  await stranger.go('/forge-app/installed?installation_id=77&state=nonsense');
  await stranger.page.getByText('This link was started in another browser').waitFor();
});
