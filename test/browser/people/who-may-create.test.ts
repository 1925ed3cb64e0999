import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { openAs } from '#test/support/browser/page-session.ts';
import { startTeamProduct } from '#test/support/team/team.ts';

const product = await startTeamProduct({
  WHO_MAY_CREATE: '*@corp.example',
  INVITATION_MAILS_PER_DAY: '0',
});

test('the web app offers only the named people a way to create an integration', async () => {
  const team = await product.newTeam('Shop');
  const { page, go, errors } = await openAs(product, team.viewer);
  await go('/integrations/new');
  await page.getByRole('heading', { name: 'You cannot create integrations' }).waitFor();
  await isFineInBothThemes(page);
  assert.equal(await page.getByRole('button', { name: 'Create integration' }).count(), 0);
  await go('/account');
  await page.getByRole('link', { name: 'Shop' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Create an integration' }).count(), 0);
  assert.deepEqual(errors, []);
});

test('the dialog reports the mail limit, and a link can still be created', async () => {
  const team = await product.newTeam('Shop');
  const { page, go } = await openAs(product, team.admin);
  await go(`/integrations/${team.integrationId}/members`);
  await page.getByRole('button', { name: /Invite/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail address').fill('ann@example.com');
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  await dialog
    .getByRole('alert')
    .getByText(/You can mail at most 0 invitations.*Invite by link/)
    .waitFor();
  await dialog.getByLabel(/By link/).check();
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await dialog.getByText('The link is ready.').waitFor();
});
