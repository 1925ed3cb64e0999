import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { chooseItem, hasFocus, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { deliveryPages, phone } from '#test/support/browser/delivery-pages.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const { post, openDeliveries, openDeadLetters } = deliveryPages(product);

test('a delivery shows its steps and body, and an admin replays it by keyboard while a viewer cannot', async () => {
  const team = await product.newTeam();
  const { page, errors, first, dialog } = await openDeliveries(team, team.admin);
  await page.getByText('No deliveries yet').waitFor();
  assert.equal((await post(team, runPayload({ display_title: 'A title to look for' }))).status, 200);
  await page.reload();
  await page.getByRole('row', { name: /workflow_run.*(Stored|Waiting|Processing)/ }).waitFor();
  await first.press('Enter');
  await dialog.getByText('A title to look for').waitFor();
  await dialog.getByText('verified').waitFor();
  await isFineInBothThemes(page);
  await dialog.getByRole('button', { name: 'Replay' }).press('Enter');
  await page.getByText('queued again').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('row', { name: /replayed/ }).waitFor();
  await isFineInBothThemes(page);
  assert.deepEqual(errors, []);

  const viewer = await openDeliveries(team, team.viewer, '', phone);
  await viewer.first.press('Enter');
  await viewer.dialog.getByText('A title to look for').waitFor();
  const replay = viewer.dialog.getByRole('button', { name: 'Replay' });
  assert.equal(await replay.getAttribute('aria-disabled'), 'true');
  assert.match((await replay.getAttribute('title')) ?? '', /Your role here is viewer/);
  await viewer.page.keyboard.press('Escape');
  assert.equal(await sidewaysScroll(viewer.page), 0);
  await viewer.open('?verdict=dead');
  await viewer.page.getByRole('button', { name: 'Clear filters' }).press('Enter');
  await viewer.first.waitFor();
});

for (const size of [{ width: 1280, height: 720 }, phone]) {
  test(`at ${size.width} pixels a delivery is found by its forge ID with the reason of its refusal`, async () => {
    const team = await product.newTeam();
    const guid = '72d3162e-cc78-11e3-81ab-4c9367dc0958';
    const headers = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    await post(team, runPayload(), { deliveryId: guid, headers });
    await post(team, runPayload(), { deliveryId: '83d3162e-cc78-11e3-81ab-4c9367dc0958' });
    const { page, errors, open, first, dialog } = await openDeliveries(team, team.viewer, '', size);
    await page.getByRole('row', { name: /Refused.*Secret does not match/ }).waitFor();
    assert.equal(await sidewaysScroll(page), 0);
    await page.keyboard.press('/');
    await hasFocus(page.getByRole('searchbox', { name: 'Search by ID' }));
    await page.keyboard.type('72d3162e');
    await page.getByText('83d3162e').waitFor({ state: 'detached' });
    await page
      .getByRole('row', { name: new RegExp(guid) })
      .getByText('127.0.0.1')
      .waitFor();
    await isFineInBothThemes(page);
    await first.press('Enter');
    await dialog.getByText(/Replace the secret in the settings/).waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Replay' }).count(), 0);
    assert.equal(await sidewaysScroll(page), 0);
    await isFineInBothThemes(page);

    await open('?open=83d3162e-cc78-11e3-81ab-4c9367dc0958');
    await dialog.getByText('verified').waitFor();
    await open('?open=00000000-cc78-11e3-81ab-4c9367dc0958');
    await dialog.getByText('Delivery not found').waitFor();
    await isFineInBothThemes(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Time' }).press('Enter');
    await chooseItem(page, 'Choose times…');
    const times = page.getByRole('dialog', { name: 'Time of receipt' });
    await times.getByLabel('From').fill('2020-01-01T10:00');
    await times.getByLabel('Until').fill('2020-01-01T09:00');
    await page.keyboard.press('Enter');
    await times.getByText('Choose a time after the start.').waitFor();
    await isFineInBothThemes(page);
    await times.getByLabel('Until').fill('2020-01-01T11:00');
    await page.keyboard.press('Enter');
    await page.getByText('No deliveries match these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
    await page.getByRole('row', { name: new RegExp(guid) }).waitFor();
    assert.deepEqual(
      errors.filter((each) => !each.includes('404 (Not Found)')),
      [],
    );
  });
}

test('a body of more than 256 KiB is shown in part and downloaded in full', async () => {
  const team = await product.newTeam();
  const payload = { ...runPayload(), notes: 'x'.repeat(300_000), last: 'past what is shown' };
  await post(team, payload, { deliveryId: 'long' });
  const { page, errors, dialog } = await openDeliveries(team, team.viewer, '?open=long');
  await dialog.getByText('Only the first 256 KiB are shown').waitFor();
  assert.equal(await dialog.getByText('past what is shown').count(), 0);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('link', { name: 'Download' }).press('Enter'),
  ]);
  assert.equal(download.suggestedFilename(), 'delivery.json');
  assert.equal(await readFile(await download.path(), 'utf8'), JSON.stringify(payload));
  assert.deepEqual(errors, []);
});

test('going back after closing a delivery returns to the previous page, also for a direct link', async () => {
  const team = await product.newTeam();
  await post(team);
  const { page, go, open, first, dialog } = await openDeliveries(team, team.member);
  await go(`/integrations/${team.integrationId}/members`);
  await open('?event=workflow_run');
  await first.press('Enter');
  await dialog.getByText('verified').waitFor();
  const link = page.url();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.match(page.url(), /deliveries\?event=workflow_run$/);
  await page.goBack();
  await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
  await page.goto(link);
  await dialog.getByText('verified').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('a body is searched by keyboard with a match count, next and previous', async () => {
  const team = await product.newTeam();
  const payload = { ...runPayload(), notes: Array.from({ length: 60 }, (_, line) => `needle ${line}`) };
  await post(team, payload);
  const { page, errors, first, dialog } = await openDeliveries(team, team.member, '', phone);
  await first.press('Enter');
  const body = dialog.locator('pre');
  await body.getByText('"needle 59"').waitFor();
  const painted = (name: string): Promise<string> =>
    page.evaluate(`[...(CSS.highlights.get('${name}') ?? [])].map(String).join()`);
  const scrolled = (): Promise<number> => body.evaluate(({ scrollTop }) => scrollTop);

  // A dialog takes the focus some frames after it appears.
  await hasFocus(dialog.getByRole('button', { name: 'Close' }));
  await page.keyboard.press('/');
  await hasFocus(dialog.getByRole('searchbox'));
  await page.keyboard.type('NEEDLE 5');
  await dialog.getByText('1 of 11', { exact: true }).waitFor();
  assert.equal((await painted('match')).split(',').length, 11);
  const before = await scrolled();
  await page.keyboard.press('Shift+Enter');
  await dialog.getByText('11 of 11', { exact: true }).waitFor();
  const last = await scrolled();
  assert.ok(last > before + 500);
  await page.keyboard.press('Enter');
  await dialog.getByText('1 of 11', { exact: true }).waitFor();
  assert.ok((await scrolled()) < last - 500);
  assert.equal(await painted('current-match'), 'needle 5');
  await isFineInBothThemes(page);
  assert.equal(await sidewaysScroll(page), 0);

  await page.keyboard.type(' and no more');
  await dialog.getByText('No match').waitFor();
  assert.equal(await painted('match'), '');
  await page.keyboard.press('Escape');
  assert.equal(await dialog.getByRole('searchbox').inputValue(), '');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual(errors, []);
});

test('an admin retries and drops dead letters by keyboard, and a viewer sees who can help', async () => {
  const team = await product.newTeam();
  await post(team, { action: 'completed' });
  const { page, errors, rows: deadLetter } = await openDeadLetters(team, team.admin);
  await deadLetter.waitFor();
  await isFineInBothThemes(page);
  const diedAt = async () =>
    (await team.admin.call('GET', team.path('/dead-letters'))).body.items[0]?.['deadAt'];
  const before = await diedAt();
  await deadLetter.getByRole('button', { name: /^Retry message/ }).press('Enter');
  await page.getByText('1 message queued again').waitFor();
  await waitUntil('the message to fail once more', async () => {
    const now = await diedAt();
    return now !== undefined && now !== before;
  });
  // The row disappears and returns in the meantime, together with the focus.
  await page.reload();
  const drop = deadLetter.getByRole('button', { name: /^Drop/ });
  await drop.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Drop this message?' });
  await dialog.waitFor();
  await isFineInBothThemes(page);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await hasFocus(drop);
  await drop.press('Enter');
  await dialog.getByRole('button', { name: 'Drop', exact: true }).press('Enter');
  await page.getByText('No dead letters').waitFor();
  assert.deepEqual(errors, []);

  const viewer = await openDeadLetters(team, team.viewer);
  const { rows: row } = viewer;
  await viewer.page.getByText('No dead letters').waitFor();
  await post(team, { action: 'again' });
  await row.waitFor();
  for (const name of [/^Retry/, /^Drop/])
    assert.equal(await row.getByRole('button', { name }).getAttribute('aria-disabled'), 'true');
  await row.getByRole('link', { name: 'workflow_run' }).press('Enter');
  const opened = viewer.page.getByRole('dialog', { name: 'Delivery' });
  await opened.getByRole('region', { name: 'Body' }).getByText('again').waitFor();
  await opened.getByRole('link', { name: 'Open the dead letter' }).press('Enter');
  await viewer.page.getByRole('heading', { name: 'Dead letters', level: 1 }).waitFor();
  await row.waitFor();
});

test('a dead letter says what happened and what to do, and leads to its delivery and back', async () => {
  const team = await product.newTeam();
  for (const action of ['first', 'second']) await post(team, { action });
  const { page, errors, go, rows } = await openDeadLetters(team, team.admin, phone);
  await waitUntil('both dead letters', async () => (await rows.count()) === 2);
  await rows.first().getByText('The body lacks a field of this event').waitFor();
  await rows.first().getByText('Update Forgewatch and retry').waitFor();
  assert.equal(await sidewaysScroll(page), 0);

  await go(`/integrations/${team.integrationId}/deliveries?verdict=dead`);
  await page
    .getByRole('link', { name: /^Unexpected body.*open the dead letter$/ })
    .last()
    .press('Enter');
  await page.getByRole('heading', { name: 'Dead letters', level: 1 }).waitFor();
  await waitUntil('only that dead letter', async () => (await rows.count()) === 1);
  assert.equal(await page.getByRole('button', { name: 'Retry all' }).count(), 0);
  await rows.getByRole('link', { name: 'workflow_run' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Delivery' });
  await dialog.getByText('"first"').waitFor();
  await dialog.getByRole('link', { name: 'Open the dead letter' }).press('Enter');

  await rows.getByRole('button', { name: /^Drop/ }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Drop', exact: true }).press('Enter');
  await page.getByRole('heading', { name: 'No such dead letter' }).waitFor();
  await isFineInBothThemes(page);
  await page.getByRole('link', { name: 'All dead letters' }).press('Enter');
  await rows.getByRole('link', { name: 'workflow_run' }).waitFor();
  assert.deepEqual(errors, []);
});
