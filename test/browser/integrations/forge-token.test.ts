import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { openAs } from '#test/support/browser/page-session.ts';
import { startGiteaProduct } from '#test/support/forge/gitea-product.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { gitea, product } = await startGiteaProduct();

test('an admin saves a token, chooses a repository, sees its webhook, and removes the token', async () => {
  const team = await product.newTeam();
  const { page, errors, go } = await openAs(product, team.admin);
  await go(`/integrations/${team.integrationId}/settings`);
  const section = page.getByRole('region', { name: 'Forge access token' });
  await section.getByLabel('Forge', { exact: true }).selectOption('gitea');
  await section.getByLabel('Address').fill(gitea.url);
  await section.getByLabel('Access token', { exact: true }).fill('wrong');
  await section.getByRole('button', { name: 'Save token' }).press('Enter');
  await section
    .getByRole('alert')
    .getByText(/The forge refused the access token: user does not exist/)
    .waitFor();
  await section.getByLabel('Access token', { exact: true }).fill(gitea.token);
  await section.getByRole('button', { name: 'Save token' }).press('Enter');
  await section.getByText('build-bot').waitFor();

  await section.getByRole('button', { name: 'Choose repositories…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Choose repositories' });
  await dialog.getByLabel('acme/shop').check();
  assert.equal(await dialog.getByLabel('acme/foreign').isDisabled(), true);
  await dialog.getByRole('button', { name: 'Save repositories' }).click();
  await section.getByText('Webhooks in 1 of 1 repository').waitFor();
  assert.equal(gitea.hooks.get('acme/shop')?.length, 1);
  await isFineInBothThemes(page);

  await section.getByRole('button', { name: 'Remove token' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove token' }).click();
  await section.getByRole('button', { name: 'Save token' }).waitFor();
  await waitUntil('no webhook', () => gitea.hooks.get('acme/shop')?.length === 0);
  assert.deepEqual(
    errors.filter((error) => !error.includes('409')),
    [],
  );
});
