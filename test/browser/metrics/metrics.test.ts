import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { endOfRun } from '#test/support/alerts/alert-program.ts';
import { accessibilityFaults } from '#test/support/browser/browser.ts';
import { chooseItem, openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);

test('metrics are grouped and filtered by keyboard, kept in the address and exported as CSV', async () => {
  const team = await product.newTeam('Shop');
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/metrics?days=2`);
  await page.getByText('No completed runs in this period').waitFor();
  for (const [id, conclusion] of [
    [1, 'success'],
    [2, 'failure'],
    [3, 'success'],
  ] as const)
    await postWebhook(product.baseUrl, team, {
      event: 'workflow_run',
      payload: endOfRun(id, conclusion, id),
    });
  await waitUntil('the runs to be counted', async () => {
    const { body } = await team.viewer.call('GET', team.path('/metrics'));
    return (body['total'] as { runs: number }).runs === 3;
  });
  await page.reload();
  await page.getByText('66.7 %', { exact: true }).waitFor();
  await page.getByRole('button', { name: /^Group by/ }).press('Enter');
  await chooseItem(page, 'Workflow');
  await page.waitForURL(/days=2.*groupBy=workflow/);
  await page.getByRole('row', { name: /CI · acme\/site.*3 runs.*66.7 %/ }).waitFor();
  await page.getByRole('row', { name: /CI.*1 of 3/ }).waitFor();
  const labels = (shown: Page) => shown.getByText('passed', { exact: true }).filter({ visible: true });
  assert.equal(await labels(page).count(), 0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await accessibilityFaults(page), [], colorScheme);
  }
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).press('Enter');
  const csv = await text(await (await downloading).createReadStream());
  const counts = csv
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => Number(line.split(',')[1]));
  assert.match(csv, /^at,runs,succeeded,failed,/);
  assert.equal(
    counts.reduce((sum, each) => sum + each, 0),
    3,
  );
  assert.deepEqual(errors, []);

  // The previous data is still shown.
  const arrival = Promise.withResolvers<void>();
  await page.route('**/metrics?*', async (route) => {
    await arrival.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: /^Time/ }).press('Enter');
  await chooseItem(page, '7 days');
  await page.locator('button[aria-disabled=true]', { hasText: 'CSV' }).waitFor();
  arrival.resolve();
  await page.locator('button:not([aria-disabled])', { hasText: 'CSV' }).waitFor();

  const phone = await openAs(product, team.viewer, { width: 390, height: 844 });
  await phone.go(`/integrations/${team.integrationId}/metrics?days=2&groupBy=workflow`);
  await phone.page.getByText('66.7 %', { exact: true }).first().waitFor();
  // Without the head of the table, each figure has its name.
  await labels(phone.page).waitFor();
  assert.equal(await sidewaysScroll(phone.page), 0);
});

/** Records the texts drawn on a canvas with their positions. */
const keepLabels = `
  globalThis.labels = [];
  const write = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    labels.push({ canvas: this.canvas, text, x: x / devicePixelRatio });
    write.call(this, text, x, y);
  };`;

test('the axis shows the requested number of UTC days in every time zone', async () => {
  const team = await product.newTeam();
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: endOfRun(1, 'success', 1) });
  await waitUntil('the run to be counted', async () => {
    const { body } = await team.viewer.call('GET', team.path('/metrics'));
    return (body['total'] as { runs: number }).runs === 1;
  });
  // In this time zone, local midnight is closer to the previous UTC day.
  const { page, errors, go } = await openAs(product, team.viewer, { timezoneId: 'Pacific/Kiritimati' });
  await page.addInitScript(keepLabels);
  await go(`/integrations/${team.integrationId}/metrics?days=7`);
  const chart = page.getByRole('figure').first();
  await chart.locator('canvas').waitFor();
  const days = await page.evaluate<[string, number][]>(
    `Object.entries(Object.fromEntries(labels
      .filter(({ canvas, text }) => canvas === document.querySelector('canvas') && /^[A-Z][a-z]{2} [0-9]+$/.test(text))
      .map(({ canvas, text, x }) => [text, x + canvas.getBoundingClientRect().left])))`,
  );
  assert.ok(days.length >= 3);
  const { y, height } = (await chart.locator('canvas').boundingBox())!;
  for (const [text, x] of days) {
    await page.mouse.move(x, y + height / 2);
    const pointed = (await chart.locator('[data-pointed]').textContent()) ?? '';
    assert.ok(pointed.startsWith(`${text}, `), `${pointed} at ${text}`);
  }
  await chart.getByText('Runs as a table').click();
  assert.equal(await chart.locator('tbody tr').count(), 7);
  assert.deepEqual(errors, []);
});
