import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minuteMs } from '#platform/runtime/time-units.ts';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { phone } from '#test/support/browser/delivery-pages.ts';
import { hasFocus, openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { countRows } from '#test/support/database/rows.ts';
import { insertInstallation } from '#test/support/forge/insert-installation.ts';
import { insertTask } from '#test/support/forge/insert-task.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';

// Without a worker the tasks stay as they are.
const product = await startTeamProduct();
const { database } = product;

const refused =
  'The forge refused the request (403). Check that the forge connection exists and is allowed to write repository webhooks.';

/** One task of each state. */
async function troubledTeam(): Promise<Team> {
  const team = await product.newTeam();
  await insertInstallation(database, 77, [team.integrationId]);
  const insert = (task: Parameters<typeof insertTask>[2]) => insertTask(database, team.integrationId, task);
  await insert({
    kind: 'forge-webhooks',
    key: '77',
    dueInMs: 40 * minuteMs,
    failures: 3,
    failingForMs: 180 * minuteMs,
    error: refused,
  });
  await insert({
    kind: 'forge-logs',
    key: '77',
    dueInMs: 2 * minuteMs,
    failures: 1,
    failingForMs: 5 * minuteMs,
    error: 'The forge returned an unexpected answer. The task is retried automatically.',
  });
  await insert({ kind: 'forge-history', key: '77', dueInMs: 60 * minuteMs, leasedForMs: 60 * minuteMs });
  await insert({ kind: 'forge-unfinished', key: '77', dueInMs: -minuteMs });
  return team;
}

for (const size of [{ width: 1280, height: 800 }, phone]) {
  test(`at ${size.width} pixels an admin finds why work fails, retries it and drops it by keyboard`, async () => {
    const team = await troubledTeam();
    const { page, errors, go } = await openAs(product, team.admin, size);
    await go(`/integrations/${team.integrationId}/settings`);
    await page.getByRole('link', { name: 'View background work' }).press('Enter');
    const rows = page.getByRole('table', { name: 'Background tasks' }).locator('tbody tr');
    await rows.nth(3).waitFor();
    const [first, second, third, fourth] = [0, 1, 2, 3].map((index) => rows.nth(index));
    await first!.getByText(refused).waitFor();
    for (const text of [
      'Update webhooks at the forge',
      'acme',
      'Failing',
      'first failed 3h ago',
      '3 failed attempts in a row',
    ])
      await first!.getByText(text).waitFor();
    await second!.getByText('Read logs of failed jobs').waitFor();
    await third!.getByText('When a place is free').waitFor();
    await fourth!.getByText('Runs now').waitFor();
    assert.equal(await sidewaysScroll(page), 0);
    await isFineInBothThemes(page);

    const running = fourth!.getByRole('button', { name: /^Run now/ });
    assert.equal(await running.getAttribute('aria-disabled'), 'true');
    assert.match((await running.getAttribute('title')) ?? '', /runs at the moment/);
    assert.equal(await first!.getByRole('button', { name: /^Drop/ }).count(), 0);

    await first!.getByRole('button', { name: /^Retry/ }).press('Enter');
    await page.getByText('1 task due now').waitFor();
    await first!.getByText('When a place is free').waitFor();

    await second!.getByRole('button', { name: /^Drop/ }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Drop this task?' });
    await dialog.getByText('The logs are read with those of the next failed job.').waitFor();
    await isFineInBothThemes(page);
    await page.keyboard.press('Escape');
    await hasFocus(second!.getByRole('button', { name: /^Drop/ }));
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Drop', exact: true }).press('Enter');
    await page.getByText('Task dropped').waitFor();
    await rows.getByText('Read logs of failed jobs').waitFor({ state: 'detached' });
    const { integrationId: integration_id } = team;
    assert.equal(await countRows(database, 'tasks', { integration_id, kind: 'forge-logs' }), 0);
    assert.deepEqual(errors, []);
  });
}

test('the page of background work follows what changes, and its filters are in the address', async () => {
  const team = await product.newTeam();
  const { page, errors, go } = await openAs(product, team.admin);
  const at = `/integrations/${team.integrationId}/settings/background-work`;
  await go(at);
  await page.getByText('No background work').waitFor();
  await insertTask(database, team.integrationId, { kind: 'forge-history', key: 'token', dueInMs: minuteMs });
  await page.getByText('Read past runs').waitFor();
  await page.getByRole('button', { name: 'State' }).press('Enter');
  await page.getByRole('menuitemradio', { name: 'Failing' }).click();
  await page.getByText('No tasks match these filters').waitFor();
  assert.match(page.url(), /state=failing/);
  await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
  await page.getByText('Read past runs').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  assert.deepEqual(errors, []);

  const member = await openAs(product, team.member);
  await member.go(at);
  await member.page.getByText('Only for admins').waitFor();
  assert.deepEqual(member.errors, []);
});

test('a failing task that is retried is in the event log with a link to the page', async () => {
  const team = await troubledTeam();
  const { page, go } = await openAs(product, team.admin);
  await go(`/integrations/${team.integrationId}/settings/background-work?state=failing`);
  await page.getByRole('button', { name: 'Retry all failing' }).press('Enter');
  await page.getByText('2 tasks due now').waitFor();
  await go(`/integrations/${team.integrationId}/event-log?type=tasks`);
  await page.getByText('2 background tasks were retried').first().click();
  await page.getByRole('link', { name: 'View background work' }).click();
  await page.getByRole('heading', { name: 'Background work' }).waitFor();
});
