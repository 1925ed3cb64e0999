import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { countInputs, hasFocus, openAs } from '#test/support/browser/page-session.ts';
import { failedRun, reportRun, untilLogIs } from '#test/support/forge/failed-log.ts';
import { newRepository, newRun } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';

/** How many clicks and keys an answer takes. A page that needs one more fails its test. */

const linked = await startLinkedProduct();
const { forge, product, newLinkedTeam } = linked;
const errorLine = 'expected 3 but got 4';

const repository = newRepository('octo-org/site');
const team = await newLinkedTeam([repository]);
await team.provisioned();
const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);

/** The default branch passed, and ann's commit broke it. */
const green = newRun(repository, minutesAgo(30), { name: 'CI', head_sha: 'a'.repeat(40) });
await reportRun(linked, team, repository, { run: green, job: green.jobs[0] as never });
const red = failedRun(repository);
Object.assign(red.run.attempts[0]!, {
  name: 'CI',
  event: 'push',
  head_sha: 'b'.repeat(40),
  actor: { login: 'ann' },
  html_url: `https://github.com/octo-org/site/actions/runs/${red.run.id}`,
});
repository.logs.set(red.job.id, `2026-11-20T12:00:02.0000000Z ##[error]${errorLine}`);
await reportRun(linked, team, repository, red);
await untilLogIs(team, red.run.id, 'read');

const rowOf = (page: Page): Locator => page.getByRole('row', { name: /^CI octo-org\/site main/ });

async function openOverview() {
  const opened = await openAs(product, team.member, { width: 1280, height: 720 });
  const inputs = await countInputs(opened.page);
  await opened.go(`/integrations/${team.integrationId}/overview`);
  const row = rowOf(opened.page);
  await row.getByText(errorLine).waitFor();
  return { ...opened, inputs, row };
}

async function isOnScreen(element: Locator): Promise<boolean> {
  const box = await element.boundingBox();
  return box !== null && box.y >= 0 && box.y + box.height <= 720 && box.x + box.width <= 1280;
}

test('the overview says what is red on the default branch and why, without a click', async () => {
  const { inputs, row, errors } = await openOverview();
  for (const fact of [
    errorLine,
    'build › Run npm test',
    'bbbbbbb by ann',
    'Last green aaaaaaa',
    'New on this branch',
    '1 run',
  ]) {
    const shown = row.getByText(fact, { exact: false }).first();
    await shown.waitFor();
    assert.ok(await isOnScreen(shown), fact);
  }
  assert.deepEqual(inputs, { clicks: 0, keys: 0 });
  assert.deepEqual(errors, []);
});

test('one click or two keys open the run, which shows the log around the error and since which commit it fails', async () => {
  const byClick = await openOverview();
  const box = await byClick.row.boundingBox();
  assert.ok(box !== null);
  await byClick.page.mouse.click(box.x + box.width / 2, box.y + box.height - 6);
  const byKeys = await openOverview();
  await byKeys.page.keyboard.press('j');
  await hasFocus(byKeys.row.getByRole('link', { name: 'CI', exact: true }));
  await byKeys.page.keyboard.press('Enter');
  for (const { page, errors } of [byClick, byKeys]) {
    await page.waitForURL(new RegExp(`/runs/${red.run.id}$`));
    await page.getByText('New on this branch').waitFor();
    await page
      .getByRole('region', { name: /^Log of build from line/ })
      .getByText(errorLine)
      .waitFor();
    const previous = page.getByRole('region', { name: 'Previous result' });
    await previous.getByText('Passed').waitFor();
    await previous.getByRole('link', { name: `#${green.id}`, exact: true }).waitFor();
    const commits = previous.getByRole('link', { name: /Commits since/ });
    assert.match((await commits.getAttribute('href')) ?? '', /\/compare\/a{40}\.\.\.b{40}$/);
    const workflow = page
      .getByRole('region', { name: 'Summary' })
      .getByRole('link', { name: 'CI', exact: true });
    assert.match((await workflow.getAttribute('href')) ?? '', /repository=octo-org/, 'keeps its repository');
    assert.deepEqual(errors, []);
  }
  assert.deepEqual(byClick.inputs, { clicks: 1, keys: 0 });
  assert.deepEqual(byKeys.inputs, { clicks: 0, keys: 2 });
});

test('two clicks on the overview, or a few keys, re-run the failed jobs', async () => {
  const isAsked = () => forge.calls.filter((call) => call.endsWith('/rerun-failed-jobs')).length;
  const byClick = await openOverview();
  await byClick.row.getByRole('button', { name: 'Re-run failed jobs of CI on main…' }).click();
  const confirm = (page: Page): Locator =>
    page.getByRole('dialog').getByRole('button', { name: 'Re-run failed jobs' });
  await confirm(byClick.page).click();
  await byClick.page.getByText('The forge re-runs the failed jobs').waitFor();
  assert.deepEqual([byClick.inputs, isAsked()], [{ clicks: 2, keys: 0 }, 1]);

  const byKeys = await openOverview();
  await byKeys.row.getByRole('button', { name: /^Re-run failed jobs/ }).waitFor();
  await byKeys.page.keyboard.press('j');
  await hasFocus(byKeys.row.getByRole('link', { name: 'CI', exact: true }));
  await byKeys.page.keyboard.press('r');
  await hasFocus(byKeys.page.getByRole('dialog').getByRole('button', { name: 'Close' }));
  await byKeys.page.keyboard.press('Tab');
  await hasFocus(confirm(byKeys.page));
  await byKeys.page.keyboard.press('Enter');
  await byKeys.page.getByText('The forge re-runs the failed jobs').waitFor();
  assert.deepEqual([byKeys.inputs, isAsked()], [{ clicks: 0, keys: 4 }, 2]);
  assert.deepEqual([...byClick.errors, ...byKeys.errors], []);
});
