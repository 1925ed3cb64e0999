import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxFacetValues, type WorkflowFacets } from '#contract/runs/runs.ts';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import {
  chooseItem,
  escapeTo,
  hasFocus,
  openAs,
  sidewaysScroll,
} from '#test/support/browser/page-session.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { at, shows, teamWithRuns } from '#test/support/browser/run-list.ts';

const product = await startTeamProduct({}, ['api', 'worker']);

test('filters are chosen by keyboard from values with counts, and removed', async () => {
  const team = await teamWithRuns(product);
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/runs`);
  await page.getByText('4 runs').waitFor();

  await page.getByRole('button', { name: 'Status' }).press('Enter');
  await page.getByRole('option', { name: 'Passed 2 runs' }).waitFor();
  await page.getByText('Counted in all 4 runs').waitFor();
  await hasFocus(page.getByRole('combobox', { name: 'Find status' }));
  await isFineInBothThemes(page);
  await page.keyboard.type('fail');
  await page.getByRole('option', { name: 'Passed' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await shows(page, 'Break totals', 'Bump undici');
  await escapeTo(page.getByRole('button', { name: 'Status Failed', exact: true }));

  await page.getByRole('button', { name: 'Branch' }).press('ArrowDown');
  await page.getByRole('option', { name: 'deps 1 run' }).waitFor();
  await page.getByRole('option', { name: 'main 1 run' }).waitFor();
  await hasFocus(page.getByRole('combobox', { name: 'Find branch' }));
  await page.keyboard.type('DEP');
  await page.keyboard.press('Enter');
  await page.waitForURL(/branch=deps/);
  await shows(page, 'Bump undici');
  await escapeTo(page.getByRole('button', { name: 'Branch deps', exact: true }));

  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await shows(page, 'Break totals', 'Bump undici');
  await page.getByRole('button', { name: 'Remove filter Status Failed' }).press('Enter');
  await page.getByText('4 runs').waitFor();
  await hasFocus(page.getByRole('button', { name: 'Status', exact: true }));

  await go(`/integrations/${team.integrationId}/runs?status=queued`);
  await page.getByRole('button', { name: 'Status Queued', exact: true }).press('Enter');
  await page.getByRole('option', { name: 'Passed 2 runs' }).waitFor();
  assert.deepEqual(errors, []);
});

test('a filter takes several values, also one that no run has, and status mixes states and results', async () => {
  const team = await teamWithRuns(product);
  const payload = runPayload({
    id: 9,
    status: 'in_progress',
    display_title: 'Still Ship',
    created_at: at(9),
  });
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/runs`);
  await page.getByText('5 runs').waitFor();
  await page.getByRole('button', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Running 1 run' }).click();
  await page.getByRole('option', { name: 'Failed 2 runs' }).click();
  await shows(page, 'Still Ship', 'Break totals', 'Bump undici');
  await page.getByRole('option', { name: 'Running', selected: true }).click();
  await shows(page, 'Break totals', 'Bump undici');
  await escapeTo(page.getByRole('button', { name: 'Status Failed', exact: true }));

  await page.getByRole('button', { name: 'Branch' }).click();
  await page.getByRole('option', { name: 'deps 1 run' }).click();
  await hasFocus(page.getByRole('combobox', { name: 'Find branch' }));
  await page.keyboard.type('release/9');
  await page.getByRole('option', { name: 'Use “release/9”' }).click();
  await page.waitForURL(/branch=deps%2Crelease%2F9|branch=deps,release/);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Branch deps, release/9', exact: true }).waitFor();
  await shows(page, 'Bump undici');
  assert.deepEqual(errors, []);
});

test('rare filters come from one menu, and a name with a comma is one value', async () => {
  const team = await teamWithRuns(product);
  const { page, errors, go } = await openAs(product, team.viewer, { width: 390, height: 844 });
  await go(`/integrations/${team.integrationId}/runs`);
  await page.getByText('4 runs').waitFor();
  await page.getByRole('button', { name: 'More', exact: true }).press('Enter');
  await chooseItem(page, 'Actor');
  await page.getByRole('option', { name: 'jonas 1 run' }).click();
  await page.waitForURL(/actor=jonas/);
  await page.keyboard.press('Escape');
  await shows(page, 'Ship it');
  await page.getByRole('button', { name: 'Workflow' }).press('Enter');
  await page.getByRole('option', { name: 'Build, test' }).click();
  await isFineInBothThemes(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Workflow Build, test', exact: true }).waitFor();
  await shows(page, 'Ship it');
  await isFineInBothThemes(page);
  assert.equal(await sidewaysScroll(page), 0);
  await go(`/integrations/${team.integrationId}/runs?branch=deps,main&event=push`);
  await page.getByRole('button', { name: 'Branch deps, main', exact: true }).waitFor();
  await page.getByText('3 runs').waitFor();
  assert.deepEqual(errors, []);
});

test('a view is saved, selected, renamed, replaced and deleted for one person only', async () => {
  const team = await teamWithRuns(product);
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/runs`);
  await page.getByText('4 runs').waitFor();
  const views = page.getByRole('button', { name: /^View/ });
  await views.press('Enter');
  const save = page.getByRole('menuitem', { name: 'Save this view…' });
  assert.equal(await save.getAttribute('aria-disabled'), 'true');
  await page.keyboard.press('Escape');

  await go(`/integrations/${team.integrationId}/runs?branch=main&conclusion=failure`);
  await shows(page, 'Break totals');
  await views.press('Enter');
  await page.locator('[role=menu] :focus').waitFor();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Save this view' });
  await dialog.getByLabel('Name').fill('Red main');
  await isFineInBothThemes(page);
  await page.keyboard.press('Enter');
  await page.getByText('View saved').waitFor();
  await page.getByRole('button', { name: 'View Red main' }).waitFor();

  await views.press('Enter');
  await chooseItem(page, 'All runs');
  await page.getByText('4 runs').waitFor();
  await views.press('Enter');
  await isFineInBothThemes(page);
  await chooseItem(page, 'Red main');
  await page.waitForURL(/branch=main&conclusion=failure/);
  await shows(page, 'Break totals');
  await views.press('Enter');
  await page.getByRole('menuitem', { name: 'Rename this view…' }).press('Enter');
  await page.getByRole('dialog').getByLabel('Name').fill('Broken main');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'View Broken main' }).waitFor();

  await page.getByRole('button', { name: 'Remove filter Branch main' }).click();
  await page.getByRole('button', { name: 'Views', exact: true }).press('Enter');
  await save.press('Enter');
  await page.getByRole('dialog').getByLabel('Name').fill('broken MAIN');
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).press('Enter');
  await page.getByRole('button', { name: 'View broken MAIN' }).waitFor();
  const stored = await team.viewer.call('GET', team.path('/saved-views'));
  assert.deepEqual(
    stored.body.items.map(({ name, filter }) => [name, filter]),
    [['broken MAIN', { conclusion: 'failure' }]],
  );

  const other = await openAs(product, team.member);
  await other.go(`/integrations/${team.integrationId}/runs?conclusion=failure`);
  await other.page.getByRole('button', { name: 'Views', exact: true }).press('Enter');
  await other.page.getByRole('menuitem', { name: 'Save this view…' }).waitFor();
  assert.equal(await other.page.getByRole('menuitemradio').count(), 1);

  await views.press('Enter');
  await page.getByRole('menuitem', { name: 'Delete this view…' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
  await page.getByText('View deleted').waitFor();
  await page.getByRole('button', { name: 'Views', exact: true }).waitFor();
  assert.deepEqual(errors, []);
});

test('a menu says when it does not list all values', async () => {
  const team = await teamWithRuns(product);
  const { page, go } = await openAs(product, team.viewer);
  await page.route('**/workflows/facets', async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as WorkflowFacets;
    body.facets.branch = Array.from({ length: maxFacetValues }, (_, at) => ({ value: `b${at}`, count: 1 }));
    await route.fulfill({ json: { ...body, counted: 2000, complete: false } });
  });
  await go(`/integrations/${team.integrationId}/runs`);
  await page.getByText('4 runs').waitFor();
  await page.getByRole('button', { name: 'Branch' }).press('Enter');
  await page.getByText(`The ${maxFacetValues} most frequent. Counted in the newest 2,000 runs`).waitFor();
  await page.unroute('**/workflows/facets');
  await page.route('**/workflows/facets', (route) =>
    route.fulfill({ status: 400, json: { code: 'invalid_request', detail: 'Broken.' } }),
  );
  await page.reload();
  await page.getByText('4 runs').waitFor();
  await page.getByRole('button', { name: 'Branch' }).press('Enter');
  await page.getByText('The values could not be counted. Broken.').waitFor();
});

test("on a phone each status can be read to its end, and one of the forge's own pushes nothing aside", async () => {
  const team = await product.newTeam();
  for (const [index, conclusion] of ['startup_failure', 'action_required', 'timed_out'].entries()) {
    const payload = runPayload({
      id: index + 1,
      name: 'End-to-end tests of the whole shop',
      head_branch: 'a-rather-long-name-of-a-branch',
      status: 'completed',
      conclusion,
    });
    await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  }
  const payload = runPayload({ id: 9, status: 'held_back_by_the_queue_of_the_largest_runners' });
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  const { page, go } = await openAs(product, team.viewer, { width: 390, height: 844 });
  await go(`/integrations/${team.integrationId}/runs`);
  await page.getByText('4 runs').waitFor();
  for (const word of ['Startup failure', 'Action required', 'Timed out']) {
    const cell = page.getByRole('cell').filter({ has: page.getByText(word, { exact: true }) });
    const hidden = await cell.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    assert.equal(hidden, 0, word);
  }
  assert.equal(await sidewaysScroll(page), 0);
});

test('on a phone a long workflow name leaves space for the branch', async () => {
  const team = await product.newTeam();
  const name = 'End-to-end tests of the whole shop, in every browser';
  const payload = runPayload({ id: 1, name, head_branch: 'main', status: 'in_progress' });
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  const { page, go } = await openAs(product, team.viewer, { width: 390, height: 844 });
  await go(`/integrations/${team.integrationId}/runs`);
  const branch = page.getByRole('cell').filter({ has: page.getByText('main', { exact: true }) });
  await branch.waitFor();
  const hidden = await branch.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  assert.equal(hidden, 0);
});
