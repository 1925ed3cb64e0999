import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFineInBothThemes } from '#test/support/browser.ts';
import { runPayload } from '#test/support/forge-events.ts';
import { hasFocus, openAs, sidewaysScroll } from '#test/support/page-session.ts';
import { postWebhook } from '#test/support/post-webhook.ts';
import { startTeamProduct } from '#test/support/team.ts';
import { waitUntil } from '#test/support/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);

test('a delivery is opened, its way and its body shown, and an admin sends it once more by keyboard', async () => {
  const team = await product.newTeam();
  const deliveries = `/integrations/${team.integrationId}/deliveries`;
  const { page, errors, go } = await openAs(product, team.admin);
  await go(deliveries);
  await page.getByText('Nothing was delivered yet').waitFor();
  const run = runPayload({ display_title: 'A title to look for' });
  assert.equal(
    (await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: run })).status,
    200,
  );
  await page.reload();
  await page.getByRole('row', { name: /workflow_run.*(Stored|Waiting|Processing)/ }).waitFor();
  await page.getByRole('button', { name: /^Open delivery/ }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Delivery' });
  await dialog.getByText('A title to look for').waitFor();
  await dialog.getByText('verified').waitFor();
  await isFineInBothThemes(page);
  await dialog.getByRole('button', { name: 'Replay' }).press('Enter');
  await page.getByText('in the queue once more').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('row', { name: /replayed/ }).waitFor({ timeout: 20_000 });
  await isFineInBothThemes(page);
  assert.deepEqual(errors, []);

  const viewer = await openAs(product, team.viewer, { width: 390, height: 800 });
  await viewer.go(deliveries);
  const open = viewer.page.getByRole('button', { name: /^Open delivery/ }).first();
  await open.press('Enter');
  assert.equal(await viewer.page.getByRole('dialog').count(), 0);
  assert.equal(await open.getAttribute('aria-disabled'), 'true');
  assert.equal(await sidewaysScroll(viewer.page), 0);
  await viewer.go(`${deliveries}?verdict=dead`);
  await viewer.page.getByRole('button', { name: 'Clear the filters' }).press('Enter');
  await open.waitFor();
});

test('going back after a delivery was closed leads to where one came from, and a link to one can be closed too', async () => {
  const team = await product.newTeam();
  const deliveries = `/integrations/${team.integrationId}/deliveries`;
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: runPayload() });
  const { page, go } = await openAs(product, team.member);
  await go(`/integrations/${team.integrationId}/members`);
  await go(`${deliveries}?event=workflow_run`);
  const dialog = page.getByRole('dialog', { name: 'Delivery' });
  await page.getByRole('button', { name: /^Open delivery/ }).press('Enter');
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

test('a body is searched by keyboard: how often, which one, the next and the one before', async () => {
  const team = await product.newTeam();
  const payload = { ...runPayload(), notes: Array.from({ length: 60 }, (_, line) => `needle ${line}`) };
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  const { page, errors, go } = await openAs(product, team.member, { width: 390, height: 844 });
  await go(`/integrations/${team.integrationId}/deliveries`);
  await page.getByRole('button', { name: /^Open delivery/ }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Delivery' });
  const body = dialog.locator('pre');
  await body.getByText('"needle 59"').waitFor();
  const painted = (name: string): Promise<string> =>
    page.evaluate(`[...(CSS.highlights.get('${name}') ?? [])].map(String).join()`);
  const scrolled = (): Promise<number> => body.evaluate(({ scrollTop }) => scrollTop);

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

test('an admin sees why a message is dead, and by keyboard sends it again and drops it; a viewer is told whom to ask', async () => {
  const team = await product.newTeam();
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: { action: 'completed' } });
  const { page, errors, go } = await openAs(product, team.admin);
  await go(`/integrations/${team.integrationId}/dead-letters`);
  const letter = page.getByRole('row', { name: /invalid_payload/ });
  await letter.waitFor({ timeout: 20_000 });
  await isFineInBothThemes(page);
  const diedAt = async () =>
    (await team.admin.call('GET', team.path('/dead-letters'))).body.items[0]?.['deadAt'];
  const before = await diedAt();
  await letter.getByRole('button', { name: /^Redrive/ }).press('Enter');
  await page.getByText('1 message is queued again').waitFor();
  await waitUntil('the message to fail once more', async () => {
    const now = await diedAt();
    return now !== undefined && now !== before;
  });
  // Its row goes and comes back meanwhile, and with it the focus.
  await page.reload();
  const drop = letter.getByRole('button', { name: /^Drop/ });
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

  const viewer = await openAs(product, team.viewer);
  await viewer.go(`/integrations/${team.integrationId}/dead-letters`);
  await viewer.page.getByText('Dead letters are for admins').waitFor();
});
