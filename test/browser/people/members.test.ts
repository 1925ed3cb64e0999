import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessibilityFaults, isFineInBothThemes } from '#test/support/browser/browser.ts';
import { invite } from '#test/support/team/invite.ts';
import { chooseItem, hasFocus, openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { startTeamProduct } from '#test/support/team/team.ts';

const product = await startTeamProduct();
const { publicUrl } = product;
const team = await product.newTeam('Shop');
const membersPath = `/integrations/${team.integrationId}/members`;

test('an admin invites a person by keyboard, who accepts in another browser and becomes a member', async () => {
  const { page, go } = await openAs(product, team.admin);
  await go(membersPath);
  await page.getByText('No open invitations.').waitFor();
  await page.getByRole('button', { name: 'Invite…' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Invite a person' });
  await hasFocus(dialog.getByRole('radio', { name: 'By mail' }));
  await page.keyboard.press('Tab');
  await hasFocus(dialog.getByLabel('E-mail address'));
  await page.keyboard.type('newcomer@example.com');
  await page.keyboard.press('Tab');
  await page.keyboard.type('viewer');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Forgewatch is not configured to send mail. Share the link yourself.').waitFor();
  const link = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
  await page.keyboard.press('Escape');
  await page.getByRole('row', { name: /newcomer@example.com/ }).waitFor();
  await hasFocus(page.getByRole('button', { name: 'Invite…' }));

  const newcomer = await openAs(product, { login: 'newcomer' });
  await newcomer.go(link.slice(publicUrl.length));
  await newcomer.page.getByText('newcomer@example.com').waitFor();
  await newcomer.page.getByText(/^admin invites you to Shop\.$/).waitFor();
  await newcomer.page.getByText('viewer', { exact: true }).first().waitFor();
  await isFineInBothThemes(newcomer.page);
  assert.equal(newcomer.page.url(), `${publicUrl}/invitations/accept`, 'the token leaves the address');
  await newcomer.page.getByRole('button', { name: 'Accept invitation' }).press('Enter');
  await newcomer.page.waitForURL(`**/integrations/${team.integrationId}/**`);
  await newcomer.page.getByText('Welcome: you joined as viewer').waitFor();

  await page.reload();
  await page.getByRole('row', { name: /newcomer.*viewer.*Invitation/ }).waitFor();
  await page.getByText('No open invitations.').waitFor();
});

test('an invited person without a session signs in, returns and accepts', async () => {
  const { acceptUrl } = await invite(team, 'later@example.com');
  const { page, go } = await openAs(product, { login: 'later' });
  await page.context().clearCookies();
  await go(acceptUrl.slice(publicUrl.length));
  await page.getByRole('button', { name: 'Sign in' }).click();
  assert.ok(!page.url().includes('token'), 'the identity provider does not learn of the invitation');
  await page.locator('input[name=login]').fill('later');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Accept invitation' }).click();
  await page.getByText('Welcome: you joined as member').waitFor();
});

test('an invitation for another person or an expired one says what to do', async () => {
  const { acceptUrl, invitationId } = await invite(team, 'somebody.else@example.com');
  const { page, go } = await openAs(product, { login: 'stranger' });
  await go(acceptUrl.slice(publicUrl.length));
  await page.getByRole('heading', { name: 'This link cannot be used' }).waitFor();
  await page.getByText('If it is for another address of yours').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Accept invitation' }).count(), 0);
  assert.doesNotMatch(await page.locator('main').innerText(), /invites you|member/);
  await isFineInBothThemes(page);
  await team.admin.call('DELETE', team.path(`/invitations/${invitationId}`));

  const { token } = await invite(team, null, 'viewer');
  await go('/account');
  await go(`/invitations/accept#token=${token}`);
  const accept = page.getByRole('button', { name: 'Accept invitation' });
  await accept.waitFor();
  const [open] = (await team.admin.call('GET', team.path('/invitations'))).body.items;
  await team.admin.call('DELETE', team.path(`/invitations/${String(open?.['invitationId'])}`));
  await accept.click();
  await page.getByRole('alert').getByText('Ask for a new one').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'The invitation has ended' }).waitFor();

  await page.evaluate(() => sessionStorage.clear());
  await go('/account');
  await go('/invitations/accept');
  await page.getByRole('heading', { name: 'Incomplete link' }).waitFor();
});

test('an admin changes a role, resends and revokes an invitation, and removes a member', async () => {
  const passing = await product.person('passing');
  await product.setRole(team.integrationId, passing, 'viewer');
  await invite(team, 'slow@example.com');
  const { page, go } = await openAs(product, team.admin);
  await go(membersPath);
  const row = page.getByRole('row', { name: /passing@example.com/ });
  await row.getByRole('button', { name: 'Role of passing' }).press('Enter');
  await chooseItem(page, /^member/);
  await page.getByText('passing is now member').waitFor();
  await row.getByRole('button', { name: 'Role of passing: member' }).waitFor();

  const invitation = page.getByRole('row', { name: /slow@example.com/ });
  await invitation.getByRole('button', { name: 'Send again for slow@example.com' }).click();
  await invitation.getByRole('button', { name: 'Copy link for slow@example.com' }).waitFor();
  await invitation.getByRole('button', { name: 'Revoke for slow@example.com' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await invitation.waitFor({ state: 'detached' });

  await row.getByRole('button', { name: 'Remove passing' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await row.getByRole('button', { name: 'Remove passing' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await row.waitFor({ state: 'detached' });
});

test('a viewer sees the members without addresses and the reason why nothing can be changed', async () => {
  const { page, go } = await openAs(product, team.viewer, { width: 390, height: 844 });
  await go(membersPath);
  await page.getByRole('table', { name: 'Members' }).waitFor();
  const button = page.getByRole('button', { name: 'Invite…' });
  assert.equal(
    await button.getAttribute('title'),
    'Your role here is viewer; this is for admins and the owner',
  );
  await button.click({ force: true });
  await button.press('Enter');
  assert.equal(await page.getByRole('dialog').count(), 0);
  assert.equal(await page.getByRole('button', { name: /^Role of/ }).count(), 0);
  assert.equal(await page.getByText('owner@example.com').count(), 0);
  assert.equal(await sidewaysScroll(page), 0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await accessibilityFaults(page), [], colorScheme);
  }
});

test('without the server the page shows an error and can retry', async () => {
  const { page, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/settings`);
  await page.getByRole('heading', { name: 'Webhook secret' }).waitFor();
  await page.route('**/api/**', (route) => route.abort());
  await page.getByRole('link', { name: 'Members' }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'The members could not be loaded' });
  await alert.getByText('The server does not answer.').waitFor();
  await page.unroute('**/api/**');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('table', { name: 'Members' }).waitFor();
});
