import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '#test/support/alerts/alert-program.ts';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { chooseItem, openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { deploymentPayload, runPayload } from '#test/support/data/forge-events.ts';
import { recordPayload } from '#test/support/data/record-payload.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';

const product = await startTeamProduct();

async function deploy(team: Team, id: number, commit: string, state: string): Promise<void> {
  const time = seconds(-36_000 + 3600 * id);
  const payload = deploymentPayload(
    { id, state, created_at: time, updated_at: time },
    { id, sha: commit.repeat(40), creator: { login: 'ann' } },
    { workflow_run: { id: 70 + id, run_attempt: 1 } },
  );
  await recordPayload(product.database, team.integrationId, 'deployment_status', payload);
}

/** A rollback, and one that failed to deploy. */
async function newTeam(name: string): Promise<Team> {
  const team = await product.newTeam(name);
  await deploy(team, 1, 'a', 'success');
  await deploy(team, 2, 'b', 'success');
  await deploy(team, 3, 'c', 'failure');
  await deploy(team, 4, 'a', 'success');
  return team;
}

for (const width of [1280, 390]) {
  test(`an admin declares production by keyboard, and Health counts its deployments, ${width} pixels wide`, async () => {
    const team = await newTeam(`Declaring ${width}`);
    const { page, errors, go } = await openAs(product, team.admin, { width, height: 844 });
    await go(`/integrations/${team.integrationId}/health`);
    await page.getByText('No environment or workflow is declared as production').waitFor();
    await page.getByRole('link', { name: 'Declare production' }).press('Enter');
    await page.getByRole('region', { name: 'Deployments' }).waitFor();
    await page.getByText('Nothing is declared as production.').waitFor();
    await page.getByRole('button', { name: 'Declare production…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Declare production' });
    await dialog.getByRole('button', { name: 'Declare', exact: true }).press('Enter');
    await dialog.getByText('Choose an environment.').waitFor();
    await isFineInBothThemes(page);
    assert.equal(await sidewaysScroll(page), 0);
    await dialog.getByLabel('Environment', { exact: true }).selectOption('production: 4 deployments');
    await dialog.getByRole('button', { name: 'Declare', exact: true }).press('Enter');
    const list = page.getByRole('list', { name: 'Deployments to production' });
    await list.getByText('production', { exact: true }).waitFor();
    await isFineInBothThemes(page);

    await go(`/integrations/${team.integrationId}/health`);
    const figures = page.getByLabel('Numbers of deployments');
    const figure = (name: string) => figures.locator('div', { hasText: name });
    await figure('Failed deployments').getByText('of 3').waitFor();
    await figure('Failed deployments').getByRole('link', { name: '1' }).press('Enter');
    const rows = page.getByRole('table', { name: 'Deployments to production' }).locator('tbody tr');
    await rows.getByText('an older commit took its place').waitFor();
    assert.equal(await rows.count(), 1);
    await page.getByRole('link', { name: 'Failed to deploy', exact: true }).press('Enter');
    await page.locator('#definition-notDeployed[data-open]').waitFor();
    await isFineInBothThemes(page);
    assert.equal(await sidewaysScroll(page), 0);
    assert.deepEqual(errors, []);
  });
}

test('a member judges a deployment against the rule, and lets the rule judge again', async () => {
  const team = await newTeam('Judging');
  await team.admin.call('POST', team.path('/deployment-sources'), { environment: 'production' });
  const { page, errors, go } = await openAs(product, team.member);
  await go(`/integrations/${team.integrationId}/health`);
  const table = page.getByRole('table', { name: 'Deployments to production' });
  const row = table.getByRole('row').filter({ hasText: 'bbbbbbb' });
  await row.getByText('an older commit took its place').waitFor();
  assert.match((await row.getByRole('link').first().getAttribute('href')) ?? '', /\/runs\/72\?attempt=1$/);
  await table.getByRole('button', { name: 'Verdict on aaaaaaa: Judge' }).first().waitFor();
  const verdict = row.getByRole('button', { name: /^Verdict on bbbbbbb: / });
  await page.route('**/mark', (route) => route.fulfill({ status: 409 }), { times: 1 });
  await verdict.press('Enter');
  await chooseItem(page, 'Did not fail');
  await row.getByRole('alert').waitFor();
  await verdict.press('Enter');
  await chooseItem(page, 'Did not fail');
  await row.getByText('Did not fail, says').waitFor();
  assert.equal(await row.getByRole('alert').count(), 0);
  const failed = page.getByLabel('Numbers of deployments').locator('div', { hasText: 'Failed deployments' });
  await failed.getByText('None').waitFor();
  await verdict.press('Enter');
  await chooseItem(page, 'As the rules say');
  await row.getByText('an older commit took its place').waitFor();
  await isFineInBothThemes(page);
  assert.deepEqual(
    errors.filter((each) => !each.includes('409 (Conflict)')),
    [],
  );
});

test('a viewer sees who declares production, and why a verdict cannot be changed', async () => {
  const team = await newTeam('Watching');
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/health`);
  await page.getByText('An admin declares it in the settings.').waitFor();
  await team.admin.call('POST', team.path('/deployment-sources'), { environment: 'production' });
  await go(`/integrations/${team.integrationId}/health?deployments=failed`);
  const verdict = page.getByRole('button', { name: 'Verdict on bbbbbbb: Failed' });
  await verdict.waitFor();
  assert.equal(await verdict.getAttribute('aria-disabled'), 'true');
  assert.deepEqual(errors, []);
});

test('an admin declares one job of a workflow, and removes it again', async () => {
  const team = await newTeam('Job');
  const run = { id: 1, name: 'Deploy', status: 'completed', conclusion: 'success', head_branch: 'main' };
  await recordPayload(product.database, team.integrationId, 'workflow_run', runPayload(run));
  const { page, errors, go } = await openAs(product, team.admin);
  await go(`/integrations/${team.integrationId}/settings`);
  await page.getByRole('button', { name: 'Declare production…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Declare production' });
  await dialog.getByLabel('A workflow on the default branch').check();
  await dialog.getByLabel('Workflow', { exact: true }).selectOption('acme/site: Deploy');
  await dialog.getByLabel('Job', { exact: true }).fill('production');
  await dialog.getByRole('button', { name: 'Declare', exact: true }).click();
  await page.getByText('Deploy · production', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Remove Deploy · production' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('Nothing is declared as production.').waitFor();
  assert.deepEqual(errors, []);
});
