import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessibilityFaults } from '#test/support/browser/browser.ts';
import { openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { tokenClient } from '#test/support/identity/token-client.ts';
import { startTeamProduct } from '#test/support/team/team.ts';

const product = await startTeamProduct();
const { publicUrl } = product;
const team = await product.newTeam('Shop');

test('a person creates a token on the account page, copies it once and revokes it', async () => {
  await product.newTeam('Garden');
  const { page, go } = await openAs(product, team.viewer);
  await go('/account');
  const section = page.getByRole('region', { name: 'API tokens' });
  await section.getByText('No API tokens.').waitFor();
  await section.getByRole('button', { name: 'Create token…' }).press('Enter');
  await page.getByLabel('Name').fill('Laptop');
  await page.getByLabel('All my integrations, also later ones').uncheck();
  await page.getByRole('button', { name: 'Create token', exact: true }).press('Enter');
  await page.getByText('Select at least one integration').waitFor();
  await page.getByRole('dialog').getByLabel('Shop').check();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole('button', { name: 'Create token', exact: true }).press('Enter');
  await page.getByText('Token created.').waitFor();
  await page.keyboard.press('Escape');
  const token = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
  await page.getByRole('button', { name: 'I have saved it' }).press('Enter');

  const client = tokenClient(publicUrl, { tokenId: '', token });
  const { body } = await client.call('GET', '/api/integrations');
  assert.deepEqual(
    body.items.map((one) => one['label']),
    ['Shop'],
  );
  await section.getByText('Read only, Shop').waitFor();
  assert.equal((await page.content()).includes(token), false);
  await section.getByRole('button', { name: 'Revoke Laptop' }).press('Enter');
  await page.getByRole('button', { name: 'Revoke', exact: true }).press('Enter');
  await section.getByText('No API tokens.').waitFor();
  assert.equal((await client.call('GET', '/api/integrations')).status, 401);
});

for (const isEverywhere of [false, true]) {
  test(`a person revokes all tokens ${isEverywhere ? 'while signing out everywhere' : 'on the account page'}`, async () => {
    const person = await product.person(`owner-of-tokens-${isEverywhere}`);
    const clients = await Promise.all(
      ['One', 'Two'].map(async (name) => {
        const { body } = await person.call('POST', '/api/user/tokens', { name, scopes: ['read'] });
        return tokenClient(publicUrl, { tokenId: '', token: String(body['token']) });
      }),
    );
    const { page, go } = await openAs(product, person);
    await go('/account');
    const section = page.getByRole('region', { name: 'API tokens' });
    await section.getByText('Two').waitFor();
    if (isEverywhere) {
      await page.getByLabel('also revoke my API tokens').check();
      assert.deepEqual(await accessibilityFaults(page), []);
      await page.getByRole('button', { name: 'Sign out everywhere' }).press('Enter');
      await page.waitForURL((url) => url.pathname !== '/account');
    } else {
      await section.getByRole('button', { name: 'Revoke all…' }).press('Enter');
      await page.getByRole('button', { name: 'Revoke all', exact: true }).press('Enter');
      await section.getByText('No API tokens.').waitFor();
    }
    for (const client of clients) assert.equal((await client.call('GET', '/api/integrations')).status, 401);
  });
}

test('an admin creates a token of the integration on a phone; members see why they cannot', async () => {
  const size = { width: 360, height: 740 };
  const opened = await openAs(product, team.admin, size);
  await opened.go(`/integrations/${team.integrationId}/settings`);
  const { page } = opened;
  const section = page.getByRole('region', { name: 'API tokens' });
  await section.getByRole('button', { name: 'Create token…' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Wallboard in the office on the second floor');
  await page.getByRole('radio', { name: 'member' }).check();
  await page.getByLabel('Expires after').selectOption('30 days');
  await page.getByRole('button', { name: 'Create token', exact: true }).click();
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await section.getByText('Role member, created by admin').waitFor();
  assert.equal(await sidewaysScroll(page), 0);
  assert.deepEqual(await accessibilityFaults(page), []);

  const asMember = await openAs(product, team.member);
  await asMember.go(`/integrations/${team.integrationId}/settings`);
  const theirs = asMember.page.getByRole('region', { name: 'API tokens' });
  await theirs.locator('p', { hasText: 'this is for admins and the owner' }).waitFor();
  assert.equal(await theirs.getByText('Wallboard').count(), 0);
});
