import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MetricNumbers } from '#contract/metrics/metrics.ts';
import { seconds } from '#test/support/alerts/alert-program.ts';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { countRows, figuresOf, figuresWhen } from '#test/support/browser/figures.ts';
import {
  chooseItem,
  openAs,
  pressTogether,
  sidewaysScroll,
  watchShifts,
} from '#test/support/browser/page-session.ts';
import { changedRun, postSlowerWeeks } from '#test/support/data/slower-weeks.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const team = await product.newTeam('Shop');
await postSlowerWeeks(product.baseUrl, team);
await waitUntil('all runs to be counted', async () => {
  const { body } = await team.viewer.call('GET', team.path(`/metrics?from=${seconds(-20 * 86_400)}`));
  return (body['total'] as MetricNumbers).runs === 168;
});

test('one click on the overview shows which workflow became slower, between which runs and in which step', async () => {
  const { page, errors, go } = await openAs(product, team.viewer, { width: 1280, height: 900 });
  await go(`/integrations/${team.integrationId}/overview`);
  await page.getByRole('link', { name: 'What changed' }).click();
  const list = page.getByRole('list', { name: 'Changes' });
  const row = list.getByRole('listitem').filter({ hasText: /CI.*Slower/s });
  await row.waitFor();
  const text = (await row.innerText()).replaceAll(/\s+/g, ' ');
  assert.match(text, /Slower ≈ 1m 0\ds → before, now ≈ 2m 3\ds ?\+1[34]\d %/);
  assert.match(text, /between #59 and #60/);
  assert.match(text, /Run test 4\ds.*2m 1\ds/s);
  assert.doesNotMatch(text, /robin|ann/);
  const commits = row.getByRole('link', { name: /^Commits/ });
  assert.match((await commits.getAttribute('href')) ?? '', /\/acme\/site\/compare\/a+3b\.\.\.a+3c$/);
  const flaky = list.getByRole('listitem').filter({ hasText: /Deploy.*Flakier/s });
  assert.match(
    (await flaky.innerText()).replaceAll(/\s+/g, ' '),
    /0 of [34]\d → before, now 9 of [34]\d runs passed only on a re-run/,
  );
  await isFineInBothThemes(page);
  const figures = await figuresWhen(page, '6 links', ({ length }) => length >= 6);
  for (const { href, count } of figures) assert.equal(await countRows(product, team, href), count, href);

  await row.getByRole('link', { name: '#60' }).click();
  await page.waitForURL(new RegExp(`/runs/${changedRun}$`));
  await pressTogether(page, 'g', 'c');
  await page.getByRole('heading', { name: 'What changed' }).waitFor();

  await page.getByRole('button', { name: /^Workflow/ }).press('Enter');
  await chooseItem(page, 'Deploy');
  await page.waitForURL(/workflow=Deploy/);
  await row.waitFor({ state: 'detached' });
  await flaky.waitFor();
  await page.getByRole('button', { name: /^Time/ }).press('Enter');
  await chooseItem(page, '24 hours');
  await page.getByText('Too few runs to compare').waitFor();
  await page.getByText(/needs 20 completed runs in each period/).waitFor();
  assert.deepEqual(errors, []);
});

test('on a phone the changes fit the width', async () => {
  const { page, errors, go } = await openAs(product, team.viewer, { width: 390, height: 844 });
  await go(`/integrations/${team.integrationId}/what-changed`);
  await page.getByRole('list', { name: 'Changes' }).getByText('Slower').waitFor();
  assert.equal(await sidewaysScroll(page), 0);
  await isFineInBothThemes(page);
  assert.deepEqual(errors, []);
});

test('the page of a workflow shows its health, jobs, problems, people and runs, with links to each', async () => {
  const { page, errors, go } = await openAs(product, team.viewer, { width: 1280, height: 900 });
  await go(`/integrations/${team.integrationId}/what-changed`);
  await page
    .getByRole('list', { name: 'Changes' })
    .getByRole('link', { name: 'CI', exact: true })
    .first()
    .click();
  await page.getByRole('heading', { name: 'CI', level: 1 }).waitFor();
  const state = page.getByRole('region', { name: 'Default branch' });
  await state.getByText(/Passed.*on main for.* or longer, 30 runs or more/s).waitFor();
  await page.getByRole('table', { name: 'Slowest jobs' }).getByRole('row').nth(1).getByText('test').waitFor();
  await page.getByRole('table', { name: 'Slowest steps' }).getByText('Run test').waitFor();
  await page
    .getByRole('region', { name: 'Who starts its runs' })
    .getByText(/83 runs/)
    .waitFor();
  assert.equal(await page.getByRole('table', { name: 'Newest runs' }).locator('tbody tr').count(), 20);
  for (const { href, count } of await figuresOf(page))
    assert.equal(await countRows(product, team, href), count, href);
  await isFineInBothThemes(page);

  await page.getByRole('button', { name: /^Time/ }).press('Enter');
  await chooseItem(page, '7 days');
  const started = page.getByRole('region', { name: 'Who starts its runs' }).getByRole('link').first();
  await started.getByText(/^[34]\d runs$/).waitFor();
  const [href, count] = [await started.getAttribute('href'), Number.parseInt(await started.innerText())];
  assert.equal(await countRows(product, team, href ?? ''), count);
  await page.getByRole('link', { name: 'What changed' }).last().click();
  await page.waitForURL(/what-changed\?.*days=7/);
  await page.getByRole('button', { name: /^Workflow.*CI/ }).waitFor();
  await page.goBack();

  await page.getByRole('link', { name: 'All runs' }).click();
  await page.getByText('84 runs', { exact: true }).waitFor();
  await page
    .getByRole('table', { name: 'Workflow runs' })
    .getByRole('link', { name: 'CI', exact: true })
    .first()
    .click();
  await page.getByRole('button', { name: /^Branch/ }).press('Enter');
  await chooseItem(page, 'Others');
  await page.getByText('No runs of this workflow').waitFor();

  const name = { repository: 'acme/site', workflow: 'Deploy' };
  await go(`/integrations/${team.integrationId}/workflow?${new URLSearchParams(name)}`);
  await page.getByLabel('Numbers').getByText('Passed only on a re-run').waitFor();
  await page.getByText(/^10.7 %$/).waitFor();
  assert.deepEqual(errors, []);
});

test('on a phone the page of a workflow fits the width', async () => {
  const { page, errors, go } = await openAs(product, team.viewer, { width: 390, height: 844 });
  const shifts = await watchShifts(page);
  await go(`/integrations/${team.integrationId}/workflow?repository=acme/site&workflow=Deploy`);
  await page.getByRole('table', { name: 'Newest runs' }).waitFor();
  await page.getByText('No owner').waitFor();
  assert.ok((await shifts()) < 0.1, 'the page does not move after load');
  assert.equal(await sidewaysScroll(page), 0);
  await isFineInBothThemes(page);
  assert.deepEqual(errors, []);
});
