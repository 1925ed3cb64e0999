import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { invite } from '#test/support/team/invite.ts';
import { openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { startTeamProduct } from '#test/support/team/team.ts';

const product = await startTeamProduct();

test('an invitation appears on the account page and is accepted there by keyboard', async () => {
  const team = await product.newTeam('Shop');
  await invite(team, 'ann@example.com', 'viewer');
  const ann = await product.person('ann');
  const { page, errors, go } = await openAs(product, ann);
  await go('/account');
  const offers = page.getByRole('region', { name: 'Invitations' });
  await offers.getByText(/Shop.*as viewer, invited by admin, open until/).waitFor();
  await isFineInBothThemes(page);
  await offers.getByRole('button', { name: 'Accept invitation to Shop' }).press('Enter');
  await page.getByText('Welcome: you joined as viewer').waitFor();
  await page.waitForURL(`**/integrations/${team.integrationId}/overview`);
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await go('/account');
  await offers.getByText('No open invitations.').waitFor();
  await page.getByRole('link', { name: 'Shop' }).waitFor();
  assert.deepEqual(errors, []);
});

test('accepting an invitation from another integration never shows a missing access', async () => {
  const [known, joined] = [await product.newTeam('Known'), await product.newTeam('Joined')];
  const cid = await product.person('cid');
  await product.setRole(known.integrationId, cid, 'viewer');
  await invite(joined, 'cid@example.com', 'viewer');
  const { page, go } = await openAs(product, cid);
  await go(`/integrations/${known.integrationId}/members`);
  await page.getByRole('table', { name: 'Members' }).waitFor();
  await page.getByRole('link', { name: /^Account of/ }).click();
  await page.evaluate(`new MutationObserver(() => {
    window.wasDenied ||= document.body.textContent.includes('You have no access');
  }).observe(document.body, { subtree: true, childList: true })`);
  await page.getByRole('button', { name: 'Accept invitation to Joined' }).click();
  await page.waitForURL(`**/integrations/${joined.integrationId}/overview`);
  await page.getByText('Waiting for the first event').waitFor();
  assert.equal(await page.evaluate('window.wasDenied'), false);
});

test('a person without integrations sees the invitation first, and a message when it has ended', async () => {
  const team = await product.newTeam('Shop');
  const { invitationId } = await invite(team, 'ben@example.com');
  const ben = await product.person('ben');
  const { page, go } = await openAs(product, ben, { width: 390, height: 844 });
  await go('/');
  await page.getByRole('heading', { name: 'Welcome: create your first integration' }).waitFor();
  const button = page.getByRole('button', { name: 'Accept invitation to Shop' });
  await button.waitFor();
  assert.equal(await sidewaysScroll(page), 0);
  await team.admin.call('DELETE', team.path(`/invitations/${invitationId}`));
  await button.click();
  await page.getByRole('alert').getByText('Invitation not found').waitFor();
  await page.getByText('No open invitations.').waitFor();
  assert.equal(await button.count(), 0);
});
