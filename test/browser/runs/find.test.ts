import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const dayMs = 86_400_000;
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

const runs = [
  {
    id: 71_001,
    run_number: 7,
    display_title: 'Cache the images',
    head_sha: '5f3a91c20b',
    head_branch: 'main',
  },
  {
    id: 71_002,
    run_number: 8,
    display_title: 'Retry uploads 404',
    head_branch: 'retry',
    pull_requests: [{ number: 312 }],
  },
  {
    id: 71_003,
    run_number: 9,
    display_title: 'Old cache',
    created_at: ago(20 * dayMs),
    actor: { login: 'noor' },
  },
];

async function teamWithRuns(label?: string, facts: Record<string, unknown> = {}): Promise<Team> {
  const team = await product.newTeam(label);
  for (const run of runs) {
    const payload = runPayload({
      created_at: ago(dayMs / 2),
      run_attempt: run.run_number === 8 ? 2 : 1,
      ...run,
      ...facts,
    });
    await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  }
  return team;
}

async function finds(page: Page, ...titles: string[]): Promise<void> {
  await page.getByText(titles.length === 1 ? '1 run' : `${titles.length} runs`, { exact: true }).waitFor();
  for (const title of titles) await page.getByRole('link', { name: title }).waitFor();
}

test('one field finds a run by SHA, number, pull request, address, branch, actor and title', async () => {
  const team = await teamWithRuns();
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/runs`);
  await page.getByText('3 runs').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('5f3a91c');
  await finds(page, 'Cache the images');
  await page.getByText('Runs of the commit').waitFor();
  await isFineInBothThemes(page);
  const field = page.getByRole('searchbox', { name: 'Search runs' });
  for (const [text, title] of [
    ['71002', 'Retry uploads'],
    ['#9', 'Old cache'],
    ['#312', 'Retry uploads'],
    ['https://forge.example/acme/site/actions/runs/71001', 'Cache the images'],
    ['retry', 'Retry uploads'],
    ['NOOR', 'Old cache'],
    ['old cache', 'Old cache'],
  ] as const) {
    await field.fill(text);
    await finds(page, title);
  }
  await field.fill('404');
  await page.getByText('No runs match these filters').waitFor();
  await page.getByRole('button', { name: 'Search titles and errors instead' }).click();
  await finds(page, 'Retry uploads 404');
  assert.equal(await field.inputValue(), '"404"');
  assert.deepEqual(errors, []);
});

test('runs are limited to a recent period, to chosen times, and to a pull request', async () => {
  const team = await teamWithRuns();
  const { page, errors, go } = await openAs(product, team.viewer, { width: 390, height: 844 });
  await go(`/integrations/${team.integrationId}/runs`);
  await page.getByText('3 runs').waitFor();
  await page.getByRole('button', { name: 'Time' }).click();
  await page.getByRole('menuitemradio', { name: 'Last 7 days' }).click();
  await page.waitForURL(/from=/);
  await finds(page, 'Cache the images', 'Retry uploads');
  await page.getByRole('button', { name: /^Time from/ }).click();
  await page.getByRole('menuitemradio', { name: 'Choose times…' }).click();
  const times = page.getByRole('dialog', { name: 'Time of creation' });
  await times.getByLabel('From').fill(ago(30 * dayMs).slice(0, 16));
  await times.getByLabel('Until').fill(ago(5 * dayMs).slice(0, 16));
  await isFineInBothThemes(page);
  await times.getByRole('button', { name: 'Show runs' }).click();
  await finds(page, 'Old cache');
  await page.reload();
  await finds(page, 'Old cache');
  assert.equal(await sidewaysScroll(page), 0);
  await page.getByRole('button', { name: /^Remove filter Time/ }).click();
  await page.getByText('3 runs').waitFor();

  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitemradio', { name: 'Pull request…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Runs of a pull request' });
  await dialog.getByLabel('Number').fill('x');
  await page.keyboard.press('Enter');
  await dialog.getByText('Enter the number of a pull request').waitFor();
  await isFineInBothThemes(page);
  await dialog.getByLabel('Number').fill('#312');
  await page.keyboard.press('Enter');
  await finds(page, 'Retry uploads');
  await page.getByText('Attempt 2').waitFor();
  await page.getByRole('button', { name: 'Remove filter Pull request 312' }).click();
  await page.getByText('3 runs').waitFor();
  assert.deepEqual(errors, []);
});

test('the command palette finds runs in all integrations of the person, and opens one', async () => {
  const person = await product.person('finder');
  const [shop, docs, hidden] = [
    await teamWithRuns('Shop'),
    await teamWithRuns('Docs'),
    await teamWithRuns('Hidden'),
  ];
  for (const team of [shop, docs]) await product.setRole(team.integrationId, person, 'viewer');
  const { page, errors, go } = await openAs(product, person);
  await go(`/integrations/${docs.integrationId}/members`);
  await page.getByRole('table', { name: 'Members' }).waitFor();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Command' });
  await field.fill('5f3a91c');
  const inDocs = page
    .getByRole('group', { name: 'Runs in Docs' })
    .getByRole('option', { name: 'Cache the images #7' });
  await inDocs.waitFor();
  await page
    .getByRole('group', { name: 'Runs in Shop' })
    .getByRole('option', { name: 'Cache the images #7' })
    .waitFor();
  assert.equal(await page.getByRole('group', { name: /^Runs in/ }).count(), 2);
  await isFineInBothThemes(page);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/integrations/${docs.integrationId}/runs/71001`);
  await page.keyboard.press('Control+k');
  await field.fill(hidden.integrationId);
  await page.getByText('Searching…').first().waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('group', { name: /^Runs in/ }).count(), 0);
  assert.deepEqual(errors, []);
});

test('a long list says how many runs match', async () => {
  const team = await product.newTeam();
  for (let id = 1; id <= 130; id++) {
    const payload = runPayload({ id, display_title: `Run ${id}`, created_at: ago((200 - id) * 1000) });
    await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  }
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/runs`);
  await page.getByText('130 runs', { exact: true }).waitFor();
  const payload = runPayload({ id: 200, display_title: 'One more', created_at: ago(0) });
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  await page.getByText('131 runs', { exact: true }).waitFor();
  assert.deepEqual(errors, []);
});

test('rows hold still under the pointer and under the focus, and a button shows the new ones', async () => {
  const team = await teamWithRuns();
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/runs?status=queued`);
  await page.getByText('Live', { exact: true }).waitFor();
  const post = async (id: number, facts: Record<string, unknown> = {}) => {
    const run = { id, display_title: `New ${id}`, created_at: ago(0), ...facts };
    await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: runPayload(run) });
  };
  const first = page.getByRole('row').nth(1);
  await page.getByRole('link', { name: 'Cache the images' }).hover();
  const before = await first.textContent();
  await post(81_001);
  await post(81_002);
  await page.getByRole('button', { name: '2 new' }).waitFor();
  assert.equal(await first.textContent(), before);
  // A run that no longer matches the filter keeps its row.
  await post(71_001, {
    ...runs[0],
    status: 'completed',
    conclusion: 'success',
    updated_at: ago(0),
    created_at: ago(dayMs / 2),
  });
  await page.getByText('4 runs', { exact: true }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Cache the images' }).count(), 1);
  await page.mouse.move(5, 5);
  await page.getByRole('link', { name: 'New 81002' }).waitFor();
  await page.getByRole('link', { name: 'Cache the images' }).waitFor({ state: 'detached' });

  await page.keyboard.press('j');
  await post(81_003);
  await page.getByRole('button', { name: '1 new' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'New 81003' }).count(), 0);
  await isFineInBothThemes(page);
  await page.getByRole('button', { name: '1 new' }).click();
  await page.getByRole('link', { name: 'New 81003' }).waitFor();
  assert.deepEqual(errors, []);
});
