import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { endOfJob, endOfRun } from '#test/support/alerts/alert-program.ts';
import { accessibilityFaults } from '#test/support/browser/browser.ts';
import { openAs, sidewaysScroll, watchShifts } from '#test/support/browser/page-session.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

/** What a person sees of an element without its colours. */
const shapes = (elements: { clientHeight: number; clientTop: number }[]): string[] =>
  elements.map(({ clientHeight, clientTop }) => `${clientHeight} high, border of ${clientTop}`);

const product = await startTeamProduct({}, ['api', 'worker']);

test('a viewer sees broken workflows, numbers and charts, which follow live updates', async () => {
  const team = await product.newTeam('Shop');
  const { page, errors, go } = await openAs(product, team.viewer);
  await go('/');
  await page.getByRole('link', { name: 'Shop' }).click();
  await page.waitForURL(`**/integrations/${team.integrationId}/overview`);
  await page.getByText('Waiting for the first event').waitFor();
  const end = (id: number, conclusion: string) =>
    postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: endOfRun(id, conclusion, id) });
  const begin = (id: number) =>
    postWebhook(product.baseUrl, team, {
      event: 'workflow_run',
      payload: endOfRun(id, '', id, { status: 'in_progress', conclusion: null }),
    });
  await end(1, 'success');
  await end(2, 'failure');
  await end(4, 'cancelled');
  await begin(5);
  const brokenJob = endOfJob(5, 51, 'failure', 5);
  await postWebhook(product.baseUrl, team, { event: 'workflow_job', payload: brokenJob });
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  await page.getByRole('row', { name: /CI.*acme\/site main.*Failed.*1 run/ }).waitFor();
  await page.getByText('50.0 %', { exact: true }).waitFor();
  await page.getByText('Last runs of CI: passed, failed, cancelled, running').waitFor();
  const bars = page.getByRole('row', { name: /Last runs of CI/ }).locator('[data-end]');
  const legend = page.getByRole('list', { name: 'Legend' });
  assert.equal(await bars.count(), 4);
  assert.equal(new Set(await bars.evaluateAll(shapes)).size, 4, 'different without their colours');
  for (const end of ['Passed', 'Failed', 'Other, for example cancelled', 'Not finished'])
    await legend.getByText(end).waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await accessibilityFaults(page), [], colorScheme);
  }
  await page.getByText('Runs by result as a table').click();
  await page.getByRole('table', { name: 'Runs by result' }).waitFor();
  // A mouse over the page holds its rows.
  await page.mouse.move(0, 0);

  await page.getByRole('button', { name: '7 days' }).press('Enter');
  await page.waitForURL(/range=7d/);
  await end(3, 'success');
  await page
    .getByText(/^No broken workflows on default branches\. Runs in progress count when they complete\.$/)
    .waitFor();
  await page.getByText('66.7 %', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'CI', exact: true }).press('Enter');
  await page.waitForURL(/\/workflow\?.*workflow=CI/);
  assert.deepEqual(errors, []);
});

test('after quiet days the numbers are zero and no setup instructions appear', async () => {
  const team = await product.newTeam('Quiet');
  const tenDaysAgo = new Date(Date.now() - 10 * 86_400_000).toISOString();
  const times = { created_at: tenDaysAgo, run_started_at: tenDaysAgo, updated_at: tenDaysAgo };
  const payload = endOfRun(1, 'success', 1, times);
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  const { page, go } = await openAs(product, team.viewer);
  await waitUntil('the run to be stored', async () => {
    const { body } = await team.viewer.call('GET', team.path('/workflows'));
    return body.items.length === 1;
  });
  await go(`/integrations/${team.integrationId}/overview`);
  await page.getByText('No completed runs in this period.').waitFor();
  assert.equal(await page.getByText('Waiting for the first event').count(), 0);
  await page.getByRole('button', { name: '30 days' }).click();
  await page.getByRole('link', { name: 'CI', exact: true }).waitFor();
});

test('on a phone nothing scrolls sideways, and numbers that fail to load can be retried', async () => {
  const team = await product.newTeam('Phone');
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: endOfRun(1, 'failure', 1) });
  for (let id = 2; id <= 8; id++) {
    const payload = endOfRun(id, 'success', id, { name: `Workflow ${id}` });
    await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  }
  const { page, go } = await openAs(product, team.viewer, { width: 390, height: 844 });
  let isBroken = true;
  await page.route('**/overview?*', (route) =>
    isBroken
      ? route.fulfill({ status: 400, json: { code: 'invalid_request', detail: 'Broken.' } })
      : route.continue(),
  );
  await go(`/integrations/${team.integrationId}/overview`);
  await page.getByText('The overview could not be loaded').waitFor();
  isBroken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'Workflow 8' }).waitFor();
  assert.equal(await sidewaysScroll(page), 0);
  // Only the content below the header scrolls.
  const around = `[...document.querySelectorAll(':has(h1)')].map((one) => one.scrollHeight - one.clientHeight)`;
  assert.equal(Math.max(...(await page.evaluate<number[]>(around))), 0);
});

test('charts render when the browser reports an invalid language tag', async () => {
  const team = await product.newTeam('Wall');
  const { page, errors, go } = await openAs(product, team.viewer);
  await page.addInitScript(
    `Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix', configurable: true })`,
  );
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: endOfRun(1, 'success', 1) });
  await go(`/integrations/${team.integrationId}/overview`);
  await page.locator('canvas').first().waitFor();
  assert.deepEqual(errors, []);
});

test('while a mouse points at the overview its rows keep their places, and new ones wait for a click', async () => {
  const team = await product.newTeam('Busy');
  const end = async (id: number, name: string, conclusion: string): Promise<void> => {
    const payload = endOfRun(id, conclusion, id, { name });
    await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  };
  await end(1, 'CI', 'failure');
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/overview`);
  const red = page.getByRole('table', { name: 'Needs attention' });
  const workflows = page.getByRole('table', { name: 'Workflows' });
  const namesIn = (table: Locator) => table.getByRole('link', { name: /^(CI|Deploy|Lint)$/ }).allInnerTexts();
  await red.getByRole('link', { name: 'CI' }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  const heading = page.getByRole('heading', { name: 'Workflows' });
  await heading.hover();
  const before = await heading.boundingBox();

  await end(2, 'Deploy', 'failure');
  await page.getByRole('button', { name: '1 new' }).waitFor();
  await page.locator('[data-count="2"]', { hasText: /^2 $/ }).waitFor();
  assert.deepEqual(await heading.boundingBox(), before);
  assert.deepEqual([await namesIn(red), await namesIn(workflows)], [['CI'], ['CI']]);
  await page.getByRole('button', { name: '1 new' }).click();
  await red.getByRole('link', { name: 'Deploy' }).waitFor();

  // A workflow that passes again stays until the mouse leaves.
  await end(3, 'CI', 'success');
  await end(4, 'Lint', 'failure');
  await page.getByRole('button', { name: '1 new' }).waitFor();
  assert.deepEqual((await namesIn(red)).toSorted(), ['CI', 'Deploy']);
  await page.mouse.move(0, 0);
  await workflows.getByRole('link', { name: 'Lint' }).waitFor();
  assert.deepEqual((await namesIn(red)).toSorted(), ['Deploy', 'Lint']);
  assert.deepEqual(errors, []);
});

for (const reducedMotion of ['no-preference', 'reduce'] as const) {
  test(`a new red row moves the page below it, with motion: ${reducedMotion}`, async () => {
    const team = await product.newTeam('Moving');
    const fail = async (id: number, name: string): Promise<void> => {
      const payload = endOfRun(id, 'failure', id, { name });
      await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
    };
    await fail(1, 'Unit');
    const { page, errors, go } = await openAs(product, team.viewer, { width: 1440, height: 900 });
    await page.emulateMedia({ reducedMotion });
    await go(`/integrations/${team.integrationId}/overview`);
    const red = page.getByRole('table', { name: 'Needs attention' });
    await red.getByRole('link', { name: 'Unit' }).waitFor();
    await page.locator('canvas').nth(1).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const heading = page.getByRole('heading', { name: 'Workflows', exact: true });
    const before = await heading.boundingBox();
    const shifts = await watchShifts(page);

    await fail(2, 'Lint');
    await red.getByRole('link', { name: 'Lint' }).waitFor();
    await waitUntil('the end of the moves', () =>
      page.evaluate('!document.querySelector(`[style^=translate]`)'),
    );
    const after = await heading.boundingBox();
    assert.ok(after!.y > before!.y + 30, 'a row is above it');
    const shifted = await shifts();
    if (reducedMotion === 'reduce') assert.ok(shifted > 0.02, `it jumps: ${shifted}`);
    else assert.ok(shifted <= 0.02, `the page jumps: ${shifted}`);
    assert.deepEqual(errors, []);
  });
}

test('a second change during a move does not make the page jump', async () => {
  const team = await product.newTeam('Moving twice');
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: endOfRun(1, 'failure', 1) });
  const { page, errors, go } = await openAs(product, team.viewer, { width: 1440, height: 900 });
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await go(`/integrations/${team.integrationId}/overview`);
  await page.getByRole('row', { name: /CI.*acme\/site main.*Failed/ }).waitFor();
  await page.locator('canvas').nth(1).waitFor();
  const heading = page.getByRole('heading', { name: 'Workflows', exact: true });
  const before = await heading.boundingBox();
  const shifts = await watchShifts(page);

  await page.evaluate(`(async () => {
    const table = document.querySelector('table[aria-label="Needs attention"]');
    const pushDown = () => table.before(Object.assign(document.createElement('p'), { style: 'height: 60px' }));
    pushDown();
    await new Promise((then) => setTimeout(then, 50));
    pushDown();
  })()`);
  await waitUntil('the end of the moves', () =>
    page.evaluate('!document.querySelector(`[style^=translate]`)'),
  );
  assert.ok((await heading.boundingBox())!.y > before!.y + 110);
  assert.ok((await shifts()) <= 0.001, `the page jumps: ${await shifts()}`);
  assert.deepEqual(errors, []);
});
