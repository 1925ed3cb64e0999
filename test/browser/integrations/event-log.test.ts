import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { hasFocus, openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { ageRows } from '#test/support/database/rows.ts';

const product = await startTeamProduct({}, ['api']);
const renamed = /was renamed/i;
const created = /was created/;

/** Its log holds two entries that concern the viewer, who has not read them. */
async function teamWithEntries(): Promise<Team> {
  const team = await product.newTeam('Before');
  await ageRows(product.database, 'memberships.created_at', '1 day', { integration_id: team.integrationId });
  await team.admin.call('PATCH', team.path(), { label: 'After' });
  await product.database.asOwner(
    `update event_log set details = details || jsonb_build_object('userId', $2::text) where integration_id = $1`,
    [team.integrationId, team.viewer.userId],
  );
  return team;
}

const logOf = ({ integrationId }: Team): string => `/integrations/${integrationId}/event-log`;
const detailOf = (page: Page) => page.getByRole('region', { name: 'Entry' });
const headingOf = (page: Page, name: RegExp) => detailOf(page).getByRole('heading', { name });

test('entries are read by keyboard beside the list, and stay read on the next visit', async () => {
  const team = await teamWithEntries();
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(logOf(team));
  const unread = page.getByRole('link', { name: /^Unread/ });
  await page.getByRole('link', { name: /Event log.*2 unread/ }).waitFor();
  await page.getByRole('link', { name: renamed }).waitFor();
  await isFineInBothThemes(page);

  await page.keyboard.press('j');
  await page.locator('[data-log-row]:focus .exact-time').waitFor();
  await page.keyboard.press('Enter');
  await headingOf(page, renamed).waitFor();
  await detailOf(page).getByText('integration.renamed').waitFor();
  await page.waitForURL(/open=/);
  assert.match((await page.locator('[data-log-row][aria-current]').textContent()) ?? '', renamed);
  await hasFocus(detailOf(page));
  await page.getByRole('link', { name: /Event log.*1 unread/ }).waitFor();
  await isFineInBothThemes(page);

  await page.keyboard.press('j');
  await headingOf(page, created).waitFor();
  await page.keyboard.press('j');
  await unread.waitFor({ state: 'detached' });
  await page.keyboard.press('k');
  await headingOf(page, renamed).waitFor();
  await page.keyboard.press('u');
  await page.getByRole('link', { name: /^Unread.*was renamed/i }).waitFor();
  await page.reload();
  await headingOf(page, renamed).waitFor();
  await page.getByRole('link', { name: renamed }).waitFor();
  await unread.waitFor({ state: 'detached' });

  await page.keyboard.press('Escape');
  await detailOf(page).waitFor({ state: 'detached' });
  await hasFocus(page.getByRole('link', { name: renamed }));
  assert.doesNotMatch(page.url(), /open=/);
  assert.deepEqual(errors, []);
});

test('while a mouse points at the list new entries wait for a click', async () => {
  const team = await teamWithEntries();
  const { page, errors, go } = await openAs(product, team.viewer);
  await page.clock.install();
  await go(logOf(team));
  const first = page.getByRole('list', { name: 'Entries' }).getByRole('link').first();
  await first.hover();
  await team.admin.call('PATCH', team.path(), { label: 'Once more' });
  await page.clock.fastForward(20_000);
  await page.getByRole('button', { name: '1 new' }).waitFor();
  assert.doesNotMatch((await first.textContent()) ?? '', /Once more/);
  await isFineInBothThemes(page);
  await page.getByRole('button', { name: '1 new' }).click();
  await first.getByText(/Once more/).waitFor();
  assert.deepEqual(errors, []);
});

test('going back from an entry restores the list after any number of entries', async () => {
  const team = await teamWithEntries();
  const { page, go } = await openAs(product, team.viewer);
  await go(`${logOf(team)}?severity=info`);
  await page.getByRole('link', { name: renamed }).click();
  await headingOf(page, renamed).waitFor();
  await page.getByRole('link', { name: created }).click();
  await headingOf(page, created).waitFor();
  await page.goBack();
  await detailOf(page).waitFor({ state: 'detached' });
  assert.match(page.url(), /event-log\?severity=info$/);
});

test('on a phone an entry replaces the list and leads back to it', async () => {
  const team = await teamWithEntries();
  const { page, errors, go } = await openAs(product, team.viewer, { width: 390, height: 844 });
  await go(logOf(team));
  const row = page.getByRole('link', { name: renamed });
  await row.click();
  await headingOf(page, renamed).waitFor();
  assert.equal(await row.isVisible(), false);
  assert.equal(await page.getByRole('searchbox').isVisible(), false);
  assert.equal(await sidewaysScroll(page), 0);
  await isFineInBothThemes(page);
  await page.getByRole('button', { name: 'Back to the list' }).press('Enter');
  await hasFocus(row);
  assert.equal(await sidewaysScroll(page), 0);
  await isFineInBothThemes(page);
  assert.deepEqual(errors, []);
});

test('an open entry stays in the list of unread entries until it is closed', async () => {
  const team = await teamWithEntries();
  const { page, go } = await openAs(product, team.viewer);
  await go(logOf(team));
  await page.getByRole('link', { name: renamed }).waitFor();
  await page.getByRole('button', { name: 'Unread only' }).click();
  await page.waitForURL(/unread=true/);
  const row = page.getByRole('list', { name: 'Entries' }).getByRole('link', { name: renamed });
  await row.click();
  await page.getByRole('link', { name: /Event log.*1 unread/ }).waitFor();
  await row.waitFor();
  await page.keyboard.press('j');
  await headingOf(page, created).waitFor();
  await row.waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await page.getByText('No entries match these filters').waitFor();
});

test('a link opens an entry that the filters hide, and a missing entry is reported', async () => {
  const team = await teamWithEntries();
  const { page, go } = await openAs(product, team.viewer);
  const { body } = await team.viewer.call('GET', team.path('/event-log'));
  await go(`${logOf(team)}?severity=error&open=${String(body.items[0]?.['entryId'])}`);
  await page.getByText('No entries match these filters').waitFor();
  await headingOf(page, renamed).waitFor();
  await go(`${logOf(team)}?open=${randomUUID()}`);
  await page.getByText('Entry not found.').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
});

test('the address keeps the filters, and all entries can be marked as read', async () => {
  const team = await teamWithEntries();
  const { page, go } = await openAs(product, team.viewer);
  await go(logOf(team));
  await page.getByRole('link', { name: renamed }).waitFor();
  await page.keyboard.press('/');
  await hasFocus(page.getByRole('searchbox'));
  await page.keyboard.type('nothing like that');
  await page.getByText('No entries match these filters').waitFor();
  await page.waitForURL(/q=nothing/);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page
    .getByRole('link', { name: /^Unread/ })
    .first()
    .waitFor();

  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await page
    .getByRole('link', { name: /^Unread/ })
    .first()
    .waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Unread only' }).click();
  await page.waitForURL(/unread=true/);
  await page.getByText('No entries match these filters').waitFor();
  await page.reload();
  await page.getByText('No entries match these filters').waitFor();
});

test('marking all as read is unavailable while a filter hides entries', async () => {
  const team = await teamWithEntries();
  const { page, go } = await openAs(product, team.viewer);
  const marks: string[] = [];
  page.on('request', (request) => request.url().endsWith('/mark-all-read') && marks.push(request.url()));
  const markAll = page.getByRole('button', { name: 'Mark all as read' });
  for (const filter of ['q=renamed', 'type=integration', 'severity=info']) {
    await go(`${logOf(team)}?${filter}`);
    await page.getByRole('link', { name: /^Unread.*was renamed/i }).waitFor();
    assert.match((await markAll.getAttribute('title')) ?? '', /Clear the filters first/);
    await markAll.press('Enter');
  }
  await isFineInBothThemes(page);
  assert.deepEqual(marks, []);
  await go(`${logOf(team)}?unread=true`);
  await page.getByRole('link', { name: renamed }).waitFor();
  await markAll.press('Enter');
  await page.getByText('No entries match these filters').waitFor();
});

test('an event log that fails to load shows the request id and a retry button', async () => {
  const team = await product.newTeam();
  const { page, go } = await openAs(product, team.viewer);
  let isBroken = true;
  await page.route('**/event-log?*', (route) =>
    isBroken
      ? route.fulfill({ status: 500, json: { code: 'internal', detail: 'Broken.', requestId: 'abc-1' } })
      : route.continue(),
  );
  await go(logOf(team));
  await page.getByText('The event log could not be loaded').waitFor();
  await page.getByText('abc-1').waitFor();
  isBroken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText(created).waitFor();
});
