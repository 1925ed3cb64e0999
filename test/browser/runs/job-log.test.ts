import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { countInputs, hasFocus, openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { failedRun, reportRun, untilLogIs } from '#test/support/forge/failed-log.ts';
import { newRepository } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const linked = await startLinkedProduct();
const { product, newLinkedTeam } = linked;

const time = '2026-11-20T12:00:05.0000000Z ';
const log = [
  `2026-11-20T12:00:00.0000000Z ##[group]Run npm test`,
  `${time}shell: /usr/bin/bash -e {0}`,
  `${time}##[endgroup]`,
  ...Array.from(
    { length: 1500 },
    (_, index) => `${time}\u001b[32mok\u001b[0m item ${index} ${'of the basket '.repeat(8)}`,
  ),
  `${time}##[error]The basket is empty`,
  `${time}##[error]Process completed with exit code 1.`,
].join('\r\n');
const errorLine = 1504;

async function newJob(name: string, answer: string | RequestListener) {
  const repository = newRepository(`octo-org/${name}`);
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const failed = failedRun(repository);
  repository.logs.set(failed.job.id, answer);
  await reportRun(linked, team, repository, failed);
  await waitUntil('the job', async () => {
    const { body } = await team.viewer.call('GET', team.path(`/workflows/${failed.run.id}`));
    return (body['jobs'] as unknown[] | undefined)?.length === 1;
  });
  const runPath = `/integrations/${team.integrationId}/runs/${failed.run.id}`;
  return { team, run: failed.run, job: failed.job, runPath, logPath: `${runPath}/jobs/${failed.job.id}/log` };
}

const box = (page: Page) => page.getByRole('region', { name: 'Lines of the log' });
const current = (page: Page) => box(page).locator('[aria-current=location]');
/** In view, not only rendered. */
const showsLine = (page: Page, line: number) =>
  waitUntil(`line ${line} in view`, async () => {
    const place = current(page).getByText(line.toLocaleString('en-US'), { exact: true });
    const [row, view] = [
      await place.boundingBox({ timeout: 500 }).catch(() => null),
      await box(page).boundingBox(),
    ];
    return row && view && row.y >= view.y && row.y + row.height <= view.y + view.height;
  });

const basket = await newJob('basket', log);
await untilLogIs(basket.team, basket.run.id, 'read');

for (const [width, height] of [
  [1440, 900],
  [390, 844],
] as const) {
  test(`at ${width} pixels one click on the reason shows the log around the error`, async () => {
    const { page, errors, go } = await openAs(product, basket.team.viewer, { width, height });
    const inputs = await countInputs(page);
    await go(basket.runPath);
    await page.getByRole('link', { name: 'Log of build' }).first().click();
    await page.waitForURL(`**${basket.logPath}?line=${errorLine}`);
    await showsLine(page, errorLine);
    await current(page).getByText('The basket is empty', { exact: true }).waitFor();
    assert.deepEqual(inputs, { clicks: 1, keys: 0 });
    assert.equal(await sidewaysScroll(page), 0);
    await isFineInBothThemes(page);
    await page.keyboard.press('w');
    await page.getByRole('button', { name: 'Wrap long lines (w)', pressed: true }).waitFor();
    await waitUntil('no line to be cut off', () =>
      box(page).evaluate((element) => element.scrollWidth <= element.clientWidth),
    );
    await isFineInBothThemes(page);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Failures' }).waitFor();
    await page.getByRole('button', { name: /^build/, expanded: true }).waitFor();
    assert.deepEqual(errors, []);
  });
}

test('a log is searched, folded and stepped through by keyboard', async () => {
  const { page, errors, go } = await openAs(product, basket.team.viewer);
  await go(basket.logPath);
  await box(page).getByText('item 0 ', { exact: false }).first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('ITEM 140');
  await page.getByText('11 lines', { exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('1 of 11 lines').waitFor();
  await showsLine(page, 144);
  assert.equal(await current(page).locator('mark').textContent(), 'item 140');
  await page.keyboard.press('Enter');
  await showsLine(page, 1404);
  await isFineInBothThemes(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.keyboard.press('e');
  await showsLine(page, errorLine);
  await page.waitForURL(`**?line=${errorLine}`);
  await page.getByRole('button', { name: 'Fold all' }).press('Enter');
  await box(page).getByRole('button', { name: 'Step Run npm test', expanded: false }).waitFor();
  await waitUntil('one row', async () => (await box(page).getByRole('listitem').count()) === 1);
  await isFineInBothThemes(page);
  await page.keyboard.press('e');
  await showsLine(page, errorLine);
  assert.deepEqual(errors, []);
});

test('a link to a line opens at it, and the log can be downloaded', async () => {
  const { page, errors, go } = await openAs(product, basket.team.viewer);
  await go(`${basket.logPath}?line=700`);
  await showsLine(page, 700);
  await hasFocus(page.getByRole('heading', { name: 'Log of build' }));
  await box(page).getByRole('link', { name: 'Line 701' }).press('Enter');
  await page.waitForURL('**?line=701');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the log' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), `job-${basket.job.id}.log`);
  assert.deepEqual(errors, []);
});

test('while the forge has no log the page shows the live steps, and then the log without a reload', async () => {
  let text: string | undefined;
  const { team, run, job, logPath } = await newJob('running', (_request, response) => {
    if (text === undefined) return void response.writeHead(404).end('{}');
    response.end(text);
  });
  await product.database.asOwner(
    `update workflow_jobs set status = 'in_progress', conclusion = null, completed_at = null where job_id = $1`,
    [job.id],
  );
  await product.database.asOwner(
    `update workflow_runs set status = 'in_progress', conclusion = null where run_id = $1`,
    [run.id],
  );
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(logPath);
  await page.getByRole('heading', { name: 'No log yet' }).waitFor();
  await page.getByRole('list', { name: 'Steps' }).getByText('Run npm test').waitFor();
  await isFineInBothThemes(page);
  text = `${time}at last\n`;
  await box(page).getByText('at last').waitFor();
  await page.getByText('The job runs. New lines appear here.').waitFor();
  assert.deepEqual(errors, []);
});

test('a log that is gone says so, and people below the role that an admin chose read none', async () => {
  const { team, logPath } = await newJob('gone', (_request, response) => response.writeHead(410).end('{}'));
  const viewer = await openAs(product, team.viewer, { width: 390, height: 844 });
  await viewer.go(logPath);
  await viewer.page.getByRole('heading', { name: 'The forge has no log of this job' }).waitFor();
  await isFineInBothThemes(viewer.page);
  const admin = await openAs(product, team.admin);
  await admin.go(`/integrations/${team.integrationId}/settings`);
  await admin.page.getByLabel('Who may read logs').selectOption('Members, admins and the owner');
  await admin.page.getByRole('button', { name: 'Save access' }).press('Enter');
  await admin.page.getByText('Access to logs changed').waitFor();
  await viewer.go(logPath);
  await viewer.page.getByRole('heading', { name: 'You may not read logs' }).waitFor();
  await isFineInBothThemes(viewer.page);
});
