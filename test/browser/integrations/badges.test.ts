import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessibilityFaults } from '#test/support/browser/browser.ts';
import { openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const team = await product.newTeam('Shop');
for (const [id, branch] of ['main', 'topic'].entries()) {
  const payload = runPayload({
    id: id + 1,
    name: 'CI [nightly], slow',
    head_branch: branch,
    status: 'completed',
    conclusion: 'success',
    created_at: new Date().toISOString(),
  });
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
}
await waitUntil('the runs to be stored', async () => {
  const { body } = await team.viewer.call('GET', team.path('/workflows'));
  return body.items.length === 2;
});
const settings = `/integrations/${team.integrationId}/settings`;

test('an admin creates a badge on a phone, copies its Markdown and removes it', async () => {
  const { page, go } = await openAs(product, team.admin, { width: 360, height: 740 });
  await go(settings);
  const section = page.getByRole('region', { name: 'Badges' });
  await section.getByText('Nothing of this integration is public.').waitFor();
  await section.getByRole('button', { name: 'Create badge…' }).press('Enter');
  await page.getByLabel('Workflow', { exact: true }).selectOption('acme/site: CI [nightly], slow');
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole('button', { name: 'Create badge', exact: true }).press('Enter');
  const image = section.getByRole('img', { name: 'The badge' });
  await image.waitFor();
  await waitUntil('the image to be shown', () =>
    image.evaluate((shown) => (shown as unknown as { naturalWidth: number }).naturalWidth > 50),
  );
  const markdown = (await section.locator('code').textContent()) ?? '';
  const [, badge = '', link = ''] =
    /^\[!\[CI \\\[nightly\\\], slow\]\((\S+)\)\]\((\S+)\)$/.exec(markdown) ?? [];
  assert.match(await (await fetch(badge)).text(), /passing/);
  assert.equal(await sidewaysScroll(page), 0);
  assert.deepEqual(await accessibilityFaults(page), []);

  await go(link.replace(product.publicUrl, ''));
  // The badge shows the state of the default branch.
  await page.getByText('1 run', { exact: true }).waitFor();
  await go(settings);
  await section.getByRole('button', { name: 'Remove the badge of CI [nightly], slow' }).press('Enter');
  await page.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
  await section.getByText('Nothing of this integration is public.').waitFor();
  assert.equal((await fetch(badge)).status, 404);
});

test('a viewer sees badges and why they cannot create one', async () => {
  const { page, go } = await openAs(product, team.viewer);
  await go(settings);
  const create = page.getByRole('button', { name: 'Create badge…' });
  assert.equal(await create.getAttribute('aria-disabled'), 'true');
});
