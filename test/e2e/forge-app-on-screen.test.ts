import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessibilityFaults } from '#test/support/browser.ts';
import { startForgeApi } from '#test/support/forge-api-server.ts';
import { openAs } from '#test/support/page-session.ts';
import { startTeamProduct } from '#test/support/team.ts';

const forge = await startForgeApi();
const product = await startTeamProduct(
  {
    FORGE_URL: forge.url,
    FORGE_API_URL: forge.url,
    FORGE_APP_ID: String(forge.appId),
    FORGE_APP_PRIVATE_KEY: forge.privateKey,
    FORGE_APP_SLUG: 'forgewatch-test',
  },
  ['api', 'worker'],
);
forge.setupUrl = `${product.publicUrl}/forge-app/installed`;

test('an owner links an organization at the forge, sees its members being read, and unlinks it', async () => {
  const team = await product.newTeam();
  const boss = { id: 1, login: 'owner' };
  await product.database.asOwner(`update users set forge_id = 1 where user_id = '${team.owner.userId}'`);
  forge.members = [boss, { id: 2, login: 'somebody' }];
  forge.admins.add(boss.id);
  const { page, errors, go } = await openAs(product, team.owner);
  await go(`/integrations/${team.integrationId}/settings`);
  await page.getByRole('button', { name: 'Link an organization…' }).press('Enter');
  await page.waitForURL(`**/integrations/${team.integrationId}/settings`);
  await page.getByText('octo-org', { exact: true }).waitFor();
  await page.getByText('2 members, read').waitFor({ timeout: 20_000 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await accessibilityFaults(page), [], colorScheme);
  }
  await page.getByRole('button', { name: 'Unlink octo-org' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink', exact: true }).click();
  await page.getByText('octo-org was unlinked').waitFor();
  assert.deepEqual(errors, []);
});

test('who does not administer it at the forge is told so, and nothing is linked', async () => {
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
  await stranger.page.getByText('This was not begun in this browser').waitFor();
});
