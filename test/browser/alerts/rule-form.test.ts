import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfRun } from '#test/support/alerts/alert-program.ts';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { openAs, sidewaysScroll, watchShifts } from '#test/support/browser/page-session.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { passed, reportSender, xml } from '#test/support/team/test-reports.ts';
import { backTest, channel, newRule, openAdvanced } from '#test/support/browser/rule-form.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const { startRun, upload } = reportSender(product);

const ago = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();

test('a member tests and creates a rule for a workflow that did not run', async () => {
  const team = await product.newTeam();
  for (const [id, hours] of [[1, 40] as const, [2, 8] as const]) {
    const times = { created_at: ago(hours), run_started_at: ago(hours), updated_at: ago(hours) };
    await postWebhook(product.baseUrl, team, {
      event: 'workflow_run',
      payload: endOfRun(id, 'success', 0, times),
    });
  }
  const { page, errors, go } = await openAs(product, team.member, { width: 390, height: 844 });
  await go(`/integrations/${team.integrationId}/rules/new`);
  await openAdvanced(page);
  await page.getByLabel('Watch for').selectOption('Weekly digest');
  const digest = page.getByRole('region', { name: 'Digest as it would be sent now' });
  await digest.getByText('Nothing would be sent').waitFor();
  await page.getByLabel('Watch for').selectOption('A workflow that did not run');
  assert.equal(await page.getByLabel('Failed', { exact: true }).count(), 0, 'conclusions are for failures');
  await page.getByLabel('At least one run in (hours)').fill('6');
  await page.getByLabel('Name', { exact: true }).fill('Nightly');
  await page.getByText('Did not run for 6 h').first().waitFor();
  await isFineInBothThemes(page);
  assert.equal(await sidewaysScroll(page), 0);
  await page.getByRole('button', { name: 'Notify nobody' }).press('Enter');
  await page.getByRole('button', { name: 'Create rule' }).press('Enter');
  await page.getByText('no run in 6 h').waitFor();
  await go(`/integrations/${team.integrationId}/incidents`);
  await page.getByRole('row', { name: /CI.*Open for.*Did not run for 6 h/ }).waitFor();
  await go(`/integrations/${team.integrationId}/overview`);
  await page.getByRole('row', { name: /CI.*Did not run for 6 h/ }).waitFor();
  assert.deepEqual(errors, []);
});

test('the whole digest is shown on a phone', async () => {
  const team = await product.newTeam();
  const { id } = await startRun(team);
  const flaky = Array.from(
    { length: 4 },
    (_, n) => `<testcase name="${n} ${'pays the price '.repeat(12)}"><flakyFailure/></testcase>`,
  );
  assert.equal((await upload(team, { run: id }, xml(...flaky, passed('adds')))).status, 201);
  const { page, errors, go } = await openAs(product, team.member, { width: 390, height: 844 });
  await go(`/integrations/${team.integrationId}/rules/new`);
  await openAdvanced(page);
  await page.getByLabel('Watch for').selectOption('Weekly digest');
  const digest = page.getByRole('region', { name: 'Digest as it would be sent now' });
  await digest.getByText('3 pays the price').waitFor();
  const hidden = await digest.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
  assert.equal(hidden, 0, 'no line is cut');
  await isFineInBothThemes(page);
  assert.equal(await sidewaysScroll(page), 0);
  assert.deepEqual(errors, []);
});

test('a rule is tested before it is saved, and errors are shown at their field', async () => {
  const team = await product.newTeam();
  const { page, errors, go } = await openAs(product, team.member, { width: 390, height: 844 });
  await go(`/integrations/${team.integrationId}/rules/new`);
  const send = page.getByRole('button', { name: 'Send a test' });
  await send.press('Enter');
  await page.getByText('Correct the marked fields.').waitFor();
  await isFineInBothThemes(page);
  await channel(page).fill('https://nowhere.invalid/services/secret');
  await page.getByText('Correct the marked fields.').waitFor({ state: 'detached' });
  await send.press('Enter');
  const results = page.getByRole('region', { name: 'Test notification' });
  await results.getByText('nowhere.invalid: ').waitFor();
  await isFineInBothThemes(page);
  assert.equal(await sidewaysScroll(page), 0);
  await channel(page).fill('dev@example.com');
  await results.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Cancel' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).press('Enter');
  await page.getByText('No notification rules').waitFor();
  assert.deepEqual(
    errors.filter((error) => !error.includes('400')),
    [],
  );
});

test('input survives back, Escape and Cancel until it is discarded, and an untouched form is left at once', async () => {
  const team = await product.newTeam();
  const { page, errors, go } = await openAs(product, team.member);
  await go(`/integrations/${team.integrationId}/rules`);
  const question = page.getByRole('dialog', { name: 'Discard changes?' });
  const list = page.getByRole('heading', { name: 'Notification rules', exact: true });
  await newRule(page).press('Enter');
  await channel(page).waitFor();
  await page.locator('summary').focus();
  await page.keyboard.press('Escape');
  await list.waitFor();

  await newRule(page).press('Enter');
  await channel(page).fill('half@example.com');
  await page.goBack();
  await question.waitFor();
  await isFineInBothThemes(page);
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await question.waitFor({ state: 'detached' });
  assert.equal(new URL(page.url()).pathname.endsWith('/rules/new'), true);
  await page.locator('summary').focus();
  await page.keyboard.press('Escape');
  await question.waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Members' }).click();
  await question.getByRole('button', { name: 'Keep editing' }).press('Enter');
  assert.equal(await channel(page).inputValue(), 'half@example.com');
  await page.getByRole('button', { name: 'Cancel' }).press('Enter');
  await question.getByRole('button', { name: 'Discard' }).press('Enter');
  await list.waitFor();
  assert.deepEqual(errors, []);
});

test('a rule that would have notified about failures that passed on a re-run offers to leave out flaky ones', async () => {
  const team = await product.newTeam();
  for (const id of [1, 2, 3])
    for (const [attempt, conclusion] of ['failure', 'success'].entries()) {
      const started = ago(50 - id * 10 - attempt);
      const times = { created_at: ago(50 - id * 10), run_started_at: started, updated_at: started };
      await postWebhook(product.baseUrl, team, {
        event: 'workflow_run',
        payload: endOfRun(id, conclusion, 0, { run_attempt: attempt + 1, ...times }),
      });
    }
  const { page, errors, go } = await openAs(product, team.member);
  await go(`/integrations/${team.integrationId}/rules/new`);
  await backTest(page).getByText('3 of them would have been about failures that passed').waitFor();
  await backTest(page).getByRole('link', { name: 'mark the flaky failures' }).waitFor();
  const leaveOut = backTest(page).getByRole('button', { name: 'Leave out known flaky' });
  await leaveOut.press('Enter');
  await leaveOut.waitFor({ state: 'detached' });
  await openAdvanced(page);
  assert.equal(await page.getByLabel('Which failures').inputValue(), 'unmarked');
  await isFineInBothThemes(page);
  assert.deepEqual(errors, []);
});

test('matching workflows and the back-test follow the choices, and nothing moves', async () => {
  const team = await product.newTeam();
  const post = (id: number, run: object) =>
    postWebhook(product.baseUrl, team, {
      event: 'workflow_run',
      payload: endOfRun(id, id === 2 ? 'failure' : 'success', id, run),
    });
  await post(1, {});
  await post(2, { head_branch: 'release/1' });
  await post(3, { name: 'Deploy' });
  const { page, errors, go } = await openAs(product, team.member, { width: 390, height: 844 });
  let isBroken = true;
  await page.route('**/known-workflows', (route) =>
    isBroken
      ? route.fulfill({ status: 400, json: { code: 'invalid_request', detail: 'Broken.' } })
      : route.continue(),
  );
  await go(`/integrations/${team.integrationId}/runs`);
  await page.getByText('3 runs').waitFor();
  await go(`/integrations/${team.integrationId}/rules/new`);
  const preview = page.getByRole('region', { name: 'Matching workflows' });
  await preview.getByText('could not be loaded. Broken.').waitFor();
  isBroken = false;
  errors.length = 0;
  await page.reload();
  await preview.getByText('2 of the 2 workflows in the newest 3 runs match.').waitFor();
  await preview
    .getByRole('listitem')
    .filter({ hasText: /^CI.*acme\/site.*main$/ })
    .waitFor();
  await backTest(page).getByText('0 failures would have matched').waitFor();

  const shifts = await watchShifts(page);
  await page.getByRole('button', { name: 'Branch: the default branch' }).press('Enter');
  await page.getByRole('option', { name: 'any branch' }).click();
  await preview
    .getByRole('listitem')
    .filter({ hasText: /^CI.*main, release\/1$/ })
    .waitFor();
  await backTest(page).getByText('1 workflow is red now.').waitFor();
  await page.getByRole('button', { name: 'Branch: any branch' }).press('Enter');
  await page.getByRole('combobox', { name: 'Find branch' }).fill('release/*');
  await page.keyboard.press('Enter');
  await preview.getByText('1 of the 2 workflows').waitFor();
  assert.doesNotMatch((await preview.textContent()) ?? '', /main|Deploy/);
  await isFineInBothThemes(page);
  await page.keyboard.press('Escape');
  await openAdvanced(page);
  await page.getByLabel('Workflows', { exact: true }).fill('!c?');
  await preview.getByText('None of the 2 workflows').waitFor();
  await backTest(page).getByText('0 failures would have matched').waitFor();
  assert.ok((await shifts()) <= 0.01, String(await shifts()));
  await isFineInBothThemes(page);
  assert.equal(await sidewaysScroll(page), 0);
  assert.deepEqual(errors, []);
});
