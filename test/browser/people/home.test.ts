import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import {
  countInputs,
  hasFocus,
  openAs,
  pressTogether,
  sidewaysScroll,
  watchShifts,
} from '#test/support/browser/page-session.ts';
import { failedJob } from '#test/support/data/failed-job.ts';
import { pull, run, sha } from '#test/support/data/pull-request-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const [shop, site] = [await product.newTeam('Shop'), await product.newTeam('Site')];
const me = await product.person('ann');
for (const { integrationId } of [shop, site]) await product.setRole(integrationId, me, 'member');

const post = (team: Team, event: string, payload: object) =>
  postWebhook(product.baseUrl, team, { event, payload: payload as Record<string, unknown> });

async function postFailure(team: Team, id: number, branch: string): Promise<void> {
  const { run: payload, job } = failedJob({ id, branch });
  await post(team, 'workflow_run', payload);
  await post(team, 'workflow_job', job);
}

await postFailure(shop, 1, 'topic');
await postFailure(site, 2, 'main');
await post(site, 'pull_request', pull({ number: 9, head: sha('d'), title: 'Round prices up' }));
await post(site, 'workflow_run', run({ id: 3, head: sha('d'), numbers: [9], conclusion: 'failure' }));
await waitUntil('home to be complete', async () => {
  const { body } = await me.call('GET', '/api/home');
  const text = JSON.stringify(body['red']) + JSON.stringify(body['failed']);
  const pulls = body['pullRequests'] as { pullRequest: { checks: { state: string } } }[];
  return text.split('Run tests').length >= 3 && pulls[0]?.pullRequest.checks.state === 'failed';
});

for (const [width, height] of [
  [1440, 900],
  [390, 844],
] as const) {
  test(`at ${width} pixels home says without a click what concerns the reader in all integrations`, async () => {
    const { page, errors, go } = await openAs(product, me, { width, height });
    const shifts = await watchShifts(page);
    const inputs = await countInputs(page);
    await go('/');
    const row = (list: string, name: RegExp) =>
      page.getByRole('table', { name: list }).getByRole('row', { name });
    await row('My failed runs', /Change 1.*topic.*Shop/).waitFor();
    await row('My pull requests', /1 of 1.*Round prices up.*Site/).waitFor();
    await row('Red default branches', /CI.*main.*Site/).waitFor();
    const lines = page.getByRole('region', { name: 'Integrations' });
    await lines.getByRole('listitem').filter({ hasText: 'Site' }).getByText('1 of 1 workflow red').waitFor();
    await lines
      .getByRole('listitem')
      .filter({ hasText: 'Shop' })
      .getByText('No result on a default branch')
      .waitFor();
    assert.equal(await sidewaysScroll(page), 0);
    assert.ok((await shifts()) <= 0.02, 'the page moves');
    assert.deepEqual(inputs, { clicks: 0, keys: 0 });
    await isFineInBothThemes(page);
    assert.deepEqual(errors, []);
  });
}

test('home updates by itself, and keys open a row and come back', async () => {
  const { page, errors, go } = await openAs(product, me, { width: 1440, height: 900 });
  await go('/');
  await page.getByText('Live', { exact: true }).waitFor();
  await postFailure(shop, 5, 'other');
  const added = page.getByRole('link', { name: /Change 5/ });
  await added.waitFor();
  await page.keyboard.press('j');
  await hasFocus(added);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/integrations/${shop.integrationId}/runs/5`);
  await page.getByRole('heading', { name: /Change 5/ }).waitFor();
  await pressTogether(page, 'g', 'h');
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command' }).fill('site');
  await page.getByRole('option', { name: /^Site/ }).waitFor();
  assert.deepEqual(errors, []);
});

test('home says when nothing concerns the reader', async () => {
  const idle = await product.person('idle');
  const quiet = await product.newTeam('Quiet');
  await product.setRole(quiet.integrationId, idle, 'viewer');
  const { page, go } = await openAs(product, idle);
  await go('/');
  await page.getByText('Nothing waits for you, and no default branch is red.').waitFor();
  await page.getByText('No runs yet').waitFor();
  await isFineInBothThemes(page);
});
