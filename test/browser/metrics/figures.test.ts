import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfRun, seconds } from '#test/support/alerts/alert-program.ts';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { countRows, figuresWhen } from '#test/support/browser/figures.ts';
import { openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { failedJob } from '#test/support/data/failed-job.ts';
import { deploymentPayload, jobPayload, pullRequestPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const team = await product.newTeam('Shop');

const results = ['success', 'failure', 'timed_out', 'cancelled', 'success', 'skipped'];
const labels = [['linux'], ['linux', 'x64'], ['windows']];

function endOfJob(runId: number, attempt: number, conclusion: string, at: number): object {
  return jobPayload({
    id: runId * 10 + attempt,
    run_id: runId,
    run_attempt: attempt,
    name: runId % 2 === 0 ? 'build' : 'test',
    workflow_name: `CI ${runId % 3}`,
    head_branch: runId % 4 === 0 ? 'topic' : 'main',
    status: 'completed',
    conclusion,
    created_at: seconds(at - 90),
    started_at: seconds(at - 60),
    completed_at: seconds(at),
    labels: labels[runId % 3],
    runner_name: `big-ab${runId}2c-runner-de34f`,
  });
}

/** Two are rolled back, one of them has no successor that did not fail, and two failed to deploy. */
const deployments = [
  ['a', 'success'],
  ['b', 'success'],
  ['c', 'failure'],
  ['a', 'success'],
  ['d', 'success'],
  ['e', 'error'],
  ['a', 'success'],
] as const;

/** Runs with re-runs that pass, fail or are under way, and runs that have not ended. */
async function fill(of: Team): Promise<void> {
  const post = (event: string, payload: object) =>
    postWebhook(product.baseUrl, of, { event, payload: payload as Record<string, unknown> });
  for (let id = 1; id <= 24; id += 1) {
    const first = results[id % results.length]!;
    const at = -60 * id - (id > 18 ? 4 * 86_400 : 0);
    const fields = { name: `CI ${id % 3}`, head_branch: id % 4 === 0 ? 'topic' : 'main' };
    await post('workflow_run', endOfRun(id, first, at, fields));
    await post('workflow_job', endOfJob(id, 1, first, at));
    if (id % 5 > 1) continue;
    const again = id % 5 === 0 ? 'success' : 'failure';
    const begun = { ...fields, run_attempt: 2 };
    await post('workflow_run', endOfRun(id, again, at + 300, begun));
    await post('workflow_job', endOfJob(id, 2, again, at + 300));
  }
  const flaky = { name: 'Nightly' };
  await post('workflow_run', endOfRun(40, 'failure', -6 * 86_400, flaky));
  await post('workflow_run', endOfRun(40, 'success', -6 * 86_400 + 300, { ...flaky, run_attempt: 2 }));
  await post('workflow_run', endOfRun(41, 'failure', -5.5 * 86_400, flaky));
  await post('workflow_run', endOfRun(42, 'success', -5.5 * 86_400 + 300, flaky));
  const merged = { state: 'closed', merged: true, base: { ref: 'main' } };
  for (const number of [1, 2, 3])
    await post(
      'pull_request',
      pullRequestPayload({ ...merged, number, merged_at: seconds(-400 * number) }, { number }),
    );
  for (const [place, [commit, state]] of deployments.entries()) {
    const time = seconds(-86_400 + 3600 * place);
    const status = { id: place + 1, state, created_at: time, updated_at: time };
    await post('deployment_status', deploymentPayload(status, { id: place + 1, sha: commit!.repeat(40) }));
  }
  const waiting = { workflow_name: 'Queued', labels: labels[1], created_at: seconds(-600), run_id: 50 };
  const statuses = ['queued', 'queued', 'waiting', 'in_progress'];
  for (const [place, status] of statuses.entries())
    await post('workflow_job', jobPayload({ ...waiting, id: 500 + place, status }));
  await post('workflow_job', jobPayload({ ...waiting, id: 504, labels: ['gpu'] }));
  const open = { conclusion: null, run_attempt: 2, name: 'CI 1' };
  await post('workflow_run', endOfRun(7, '', 0, { ...open, status: 'in_progress' }));
  await post('workflow_run', endOfRun(30, '', 0, { ...open, run_attempt: 1, status: 'queued' }));
  for (const facts of [
    { id: 900, step: 'Run npm test' },
    { id: 901, step: 'Run npm test' },
    { id: 902, step: 'Run lint' },
  ]) {
    const { run, job } = failedJob({ ...facts, branch: 'topic' });
    await post('workflow_run', run);
    await post('workflow_job', job);
  }
  await waitUntil('all runs and failures to be stored', async () => {
    const { body } = await of.viewer.call('GET', of.path('/workflows?status=queued'));
    const failures = await of.viewer.call('GET', of.path('/failure-groups?q=lint'));
    return body.items.length === 1 && failures.body.items.length === 1;
  });
}

await fill(team);

/** Pages with the smallest number of links that they have. */
const pages = [
  ['overview', 'Needs attention', 8],
  ['overview?range=7d', 'Needs attention', 8],
  ['overview?range=30d', 'Needs attention', 8],
  ['metrics?days=7', 'Busiest runners', 12],
  ['metrics?days=2&branch=default&groupBy=workflow', 'Busiest runners', 12],
  ['metrics?days=7&groupBy=branch', 'Busiest runners', 12],
  ['metrics?days=7&groupBy=repository&branch=other', 'Busiest runners', 10],
  ['metrics?days=7&groupBy=runner', 'Busiest runners', 12],
  ['metrics?days=7&runner=linux&workflow=CI%200', 'Busiest runners', 8],
  ['failures', 'Last 14 days', 2],
] as const;

test('each figure equals the number of rows behind its link', async () => {
  const { page, errors, go } = await openAs(product, team.viewer);
  const known = new Map<string, number>();
  for (const [path, text, least] of pages) {
    await go(`/integrations/${team.integrationId}/${path}`);
    await page.getByText(text).first().waitFor();
    const figures = await figuresWhen(page, `${least} links on ${path}`, ({ length }) => length >= least);
    assert.ok(
      figures.some(({ count }) => count > 1),
      path,
    );
    for (const { href, count } of figures) {
      if (!known.has(href)) known.set(href, await countRows(product, team, href));
      assert.equal(known.get(href), count, `${path}: ${href}`);
    }
    const hasFirstTry = figures.some(({ href }) => href.includes('attempt=first'));
    assert.equal(hasFirstTry, /^(overview|metrics)(?!.*runner)/.test(path), `first try on ${path}`);
  }
  assert.deepEqual(errors, []);
});

test('each figure of the health of a branch equals the number of rows that its link shows', async () => {
  const price = { runner: 'linux', validFrom: '2020-01-01', pricePerMinute: 2, currency: 'EUR' };
  await team.admin.call('PUT', team.path('/minute-prices'), price);
  await team.admin.call('POST', team.path('/deployment-sources'), { environment: 'production' });
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/health?days=7`);
  await page.getByText('Merged while red').first().waitFor();
  const figures = await figuresWhen(page, 'links to each kind of row', (shown) => {
    const valuesOf = (name: string) =>
      new Set(shown.map(({ href }) => new URL(href, product.publicUrl).searchParams.get(name)));
    return (
      valuesOf('ended').isSupersetOf(new Set([null, 'rerun', 'commit'])) &&
      valuesOf('deployments').isSupersetOf(
        new Set(['deployed', 'failed', 'recovered', 'unknown', 'notDeployed']),
      )
    );
  });
  for (const { href, count } of figures) {
    const { hash, searchParams } = new URL(href, product.publicUrl);
    if (hash === '') {
      assert.equal(await countRows(product, team, href), count, href);
      continue;
    }
    await go(href);
    const part = page.locator(hash);
    await part.waitFor();
    if (['ended', 'lost'].some((name) => searchParams.has(name)))
      await part.getByRole('button', { pressed: true }).filter({ hasNotText: 'All' }).waitFor();
    if (searchParams.has('deployments'))
      await part.getByRole('button', { name: /^Show/ }).filter({ hasNotText: 'All' }).waitFor();
    assert.equal(await part.locator('tbody tr').count(), count, href);
  }
  const figure = page.getByLabel('Numbers of minutes').locator('div', { hasText: 'Lost: re-runs' });
  await figure.getByRole('link', { name: /^\d+ runs$/ }).click();
  await page.getByRole('button', { name: 'Re-runs', pressed: true }).waitFor();
  const lostRows = page.locator('#lost-minutes tbody tr');
  const costs = await lostRows.getByText('€').allInnerTexts();
  assert.ok(costs.length > 1 && costs.length < (await lostRows.count()), 'one label has a price');
  const sum = costs.reduce((euros, text) => euros + Number(text.slice(1)), 0);
  await figure.getByText(`€${sum.toFixed(2)} of ${sum / price.pricePerMinute} min`).waitFor();
  await page.getByRole('link', { name: 'Time red' }).click();
  await page.locator('#definition-red[data-open]').waitFor();
  await isFineInBothThemes(page);
  assert.deepEqual(errors, []);
});

test('each figure of the queue equals the number of rows that its link shows', async () => {
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/queue`);
  await page.getByText('longer than usual').waitFor();
  const figures = await figuresWhen(page, 'links to each part of the page', (shown) =>
    new Set(shown.map(({ href }) => new URL(href, product.publicUrl).hash)).isSupersetOf(
      new Set(['#waiting', '#running', '#held', '']),
    ),
  );
  for (const { href, count } of figures) {
    const { hash, searchParams } = new URL(href, product.publicUrl);
    if (hash === '') assert.equal(await countRows(product, team, href), count, href);
    else {
      await go(href);
      await page.locator(hash).waitFor();
      if (searchParams.has('runner')) await page.getByRole('button', { name: /^Remove filter/ }).waitFor();
      assert.equal(await page.locator(hash).locator('tbody tr').count(), count, href);
    }
  }
  await isFineInBothThemes(page);
  assert.deepEqual(errors, []);
});

test('the number of failed runs opens the list of exactly these runs', async () => {
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/overview?range=7d`);
  const link = page.getByLabel('Numbers').getByRole('link', { name: / failed$/ });
  const failed = Number.parseInt(await link.innerText());
  await link.click();
  await page.getByText(`${failed} runs`, { exact: true }).waitFor();
  await page.getByRole('button', { name: /^Remove filter Completed from/ }).waitFor();
  await isFineInBothThemes(page);
  assert.equal(
    await page
      .getByRole('table', { name: 'Workflow runs' })
      .getByText(/^(Failed|Timed out)$/)
      .count(),
    failed,
  );
  await page.goBack();
  await page.getByText('Needs attention').waitFor();

  // The number of workflows that failed is the length of the list of metrics.
  const workflows = page.locator('[data-workflows]');
  const count = Number(await workflows.innerText());
  await workflows.click();
  const rows = page.getByRole('table', { name: 'Workflows that failed most' }).locator('tbody tr');
  await rows.first().waitFor();
  assert.equal(await rows.count(), count);
  assert.deepEqual(errors, []);
});

test('a number of jobs opens the jobs, from where a run is one click away', async () => {
  for (const width of [1280, 390]) {
    const { page, errors, go } = await openAs(product, team.viewer, { width, height: 844 });
    await go(`/integrations/${team.integrationId}/metrics?days=7`);
    const link = page.getByRole('table', { name: 'Jobs that failed most' }).locator('[data-count]').first();
    const failed = await link.innerText();
    await link.click();
    await page.getByText(failed === '1' ? '1 job' : `${failed} jobs`, { exact: true }).waitFor();
    assert.equal(await sidewaysScroll(page), 0);
    await isFineInBothThemes(page);
    await page.getByRole('table', { name: 'Jobs' }).getByRole('link').first().click();
    await page.waitForURL(/\/runs\/\d+\?attempt=/);
    assert.deepEqual(errors, []);
  }
});
