import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { openAs } from '#test/support/browser/page-session.ts';
import { jobPayload, pullRequestPayload, runPayload } from '#test/support/data/forge-events.ts';
import { newRepository, newRun } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { forge, product, newLinkedTeam } = await startLinkedProduct();

async function teamWithFailedRun(branch = 'release/1') {
  const repository = newRepository('octo-org/site');
  const run = newRun(repository, new Date());
  repository.runs = [run];
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const own = { repository: { id: repository.id, full_name: repository.name, default_branch: 'main' } };
  const failed = { status: 'completed', conclusion: 'failure', head_branch: branch };
  const now = new Date().toISOString();
  const times = { created_at: now, run_started_at: now, updated_at: now };
  const jobId = Number(run.jobs[0]!['id']);
  for (const [event, payload] of [
    ['workflow_run', runPayload({ id: run.id, display_title: 'Fix the build', ...times, ...failed })],
    ['workflow_job', jobPayload({ id: jobId, run_id: run.id, name: 'unit tests', ...failed })],
  ] as const)
    await postWebhook(product.baseUrl, team, { event, payload: { ...payload, ...own } });
  await waitUntil('the job', async () => {
    const { body } = await team.viewer.call('GET', team.path(`/workflows/${run.id}`));
    return (body['jobs'] as unknown[] | undefined)?.length === 1;
  });
  const page = `/integrations/${team.integrationId}/runs/${run.id}`;
  return { team, page, repository, runId: run.id };
}

test('a member re-runs failed jobs with two clicks, and sees why the forge refused one job', async () => {
  const { team, page: address } = await teamWithFailedRun();
  const { page, errors, go } = await openAs(product, team.member);
  await go(address);
  await page.getByRole('button', { name: 'Re-run failed jobs' }).click();
  const dialog = page.getByRole('dialog', { name: 'Re-run the failed jobs?' });
  await dialog.getByText(/Fix the build.* of octo-org\/site on the branch release\/1/).waitFor();
  await dialog.getByRole('button', { name: 'Re-run failed jobs' }).click();
  await page.getByText('The forge re-runs the failed jobs').waitFor();
  assert.ok(forge.calls.some((call) => call.endsWith('/rerun-failed-jobs')));
  await isFineInBothThemes(page);

  forge.interfere = (call) =>
    call.endsWith('/rerun') ? { status: 403, message: 'Unable to retry <this> job' } : undefined;
  await page.getByRole('button', { name: /unit tests/, expanded: false }).click();
  await page.getByRole('button', { name: 'Re-run job' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Re-run job' }).click();
  await page.getByRole('alert').getByText('Unable to retry <this> job').waitFor();
  forge.interfere = undefined;
  assert.deepEqual(
    errors.filter((error) => !error.includes('409')),
    [],
  );
});

test('a member re-runs the failed jobs of a pull request on its page with two clicks', async () => {
  const { team, repository, runId } = await teamWithFailedRun();
  const own = { repository: { id: repository.id, full_name: repository.name } };
  const head = { head: { ref: 'release/1', sha: 'c'.repeat(40), repo: { full_name: repository.name } } };
  const run = {
    id: runId,
    updated_at: new Date().toISOString(),
    head_sha: 'c'.repeat(40),
    head_branch: 'release/1',
  };
  for (const [event, payload] of [
    ['pull_request', pullRequestPayload({ number: 12, title: 'Fix', ...head }, { number: 12 })],
    ['workflow_run', runPayload({ ...run, status: 'completed', conclusion: 'failure' })],
  ] as const)
    await postWebhook(product.baseUrl, team, { event, payload: { ...payload, ...own } });
  await waitUntil('the checks', async () => {
    const { body } = await team.viewer.call('GET', team.path('/pull-requests/12'));
    return JSON.stringify(body).includes(`"runId":${runId}`);
  });
  forge.calls.length = 0;
  const { page, errors, go } = await openAs(product, team.member);
  await go(`/integrations/${team.integrationId}/pull-requests/12`);
  await page.getByRole('button', { name: 'Re-run failed jobs' }).click();
  const dialog = page.getByRole('dialog', { name: 'Re-run the failed jobs?' });
  await dialog.getByRole('button', { name: 'Re-run failed jobs' }).click();
  await page.getByText('The forge re-runs the failed jobs').waitFor();
  assert.ok(forge.calls.some((call) => call.endsWith('/rerun-failed-jobs')));
  assert.deepEqual(errors, []);
});

test('a viewer sees why the buttons are not for them', async () => {
  const { team, page: address } = await teamWithFailedRun();
  const { page, go } = await openAs(product, team.viewer);
  await go(address);
  const button = page.getByRole('button', { name: 'Re-run all jobs' });
  await button.waitFor();
  assert.equal(await button.getAttribute('aria-disabled'), 'true');
  assert.match((await button.getAttribute('title')) ?? '', /Your role here is viewer/);
});

test('on the overview nothing moves when it is known that a member may re-run the failed jobs', async () => {
  const { team } = await teamWithFailedRun('main');
  await waitUntil('the incident', async () => {
    const { body } = await team.viewer.call('GET', team.path('/incidents'));
    return body.items.length === 1;
  });
  const { page, errors, go } = await openAs(product, team.member, { width: 1440, height: 900 });
  const asked = Promise.withResolvers<void>();
  const known = Promise.withResolvers<void>();
  await page.route('**/workflows/*/actions', async (route) => {
    asked.resolve();
    await known.promise;
    await route.continue();
  });
  await go(`/integrations/${team.integrationId}/overview`);
  const row = page.getByRole('table', { name: 'Needs attention' }).getByRole('row', { name: /octo-org/ });
  const sizes = async () => {
    const boxes = await Promise.all((await row.getByRole('cell').all()).map((cell) => cell.boundingBox()));
    return boxes.map((box) => box && [box.x, box.width, box.height]);
  };
  await row.waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.locator('canvas').nth(1).waitFor();
  await asked.promise;
  const before = await sizes();
  assert.equal(await row.getByRole('button', { name: /^Re-run failed jobs/ }).count(), 0);

  known.resolve();
  await row.getByRole('button', { name: /^Re-run failed jobs/ }).waitFor();
  assert.deepEqual(await sizes(), before);
  assert.deepEqual(errors, []);
});
