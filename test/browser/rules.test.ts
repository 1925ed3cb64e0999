import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NotificationRule } from '#contract/alerts/alerts.ts';
import { endOfRun } from '#test/support/alerts/alert-program.ts';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { startMailServer } from '#test/support/network/mail-server.ts';
import { hasFocus, openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { startTeamProduct } from '#test/support/team/team.ts';

const mailServer = await startMailServer();
const product = await startTeamProduct({ SMTP_URL: mailServer.url }, ['api', 'worker']);

test('a member creates and tests a rule by keyboard, and sees the incident and its notification', async () => {
  const team = await product.newTeam();
  const { page, errors, go } = await openAs(product, team.member);
  await go(`/integrations/${team.integrationId}/rules`);
  await page.getByText('No notification rules').waitFor();
  await page.getByRole('button', { name: 'New rule…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'New notification rule' });
  await hasFocus(dialog.getByLabel('Name'));
  await dialog.getByLabel('Cooldown (minutes)').fill('99999');
  const tryIt = dialog.getByRole('button', { name: 'Test on the last 30 days' });
  await tryIt.press('Enter');
  await hasFocus(dialog.getByLabel('Cooldown (minutes)'));
  await dialog.getByText(/^Enter \d+ or less\.$/).waitFor();
  errors.length = 0;
  await dialog.getByLabel('Cooldown (minutes)').fill('0');
  await tryIt.press('Enter');
  await dialog.getByText('0 failures would have matched').waitFor();
  await dialog.getByLabel('Name').fill('Broken main');
  await dialog.getByLabel('Branches').fill('main');
  await dialog.getByLabel('Addresses').fill('team@example.com');
  await dialog.getByLabel('Notify', { exact: true }).selectOption('On every failure');
  await isFineInBothThemes(page);
  await tryIt.press('Enter');
  await dialog.getByText('0 failures would have matched').waitFor();
  await dialog.getByLabel('Name').press('Enter');
  await page.getByText('Rule created').waitFor();
  await page.getByRole('row', { name: /Broken main.*branches main.*team@example.com.*Never/ }).waitFor();

  await page.getByRole('button', { name: 'Send a test notification for Broken main' }).press('Enter');
  await page.getByText(/team@example.com: sent in/).waitFor();
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: endOfRun(1, 'failure', 10) });
  await page.getByRole('row', { name: /CI.*Open for/ }).waitFor();
  await page.getByRole('button', { name: 'Notifications of Broken main' }).press('Enter');
  await page
    .getByRole('listitem')
    .filter({ hasText: /Failure\s*sent/ })
    .waitFor();
  await isFineInBothThemes(page);
  await page.keyboard.press('Escape');
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: endOfRun(2, 'failure', 20) });
  await page.getByRole('button', { name: 'Notifications of Broken main' }).press('Enter');
  await page
    .getByRole('listitem')
    .filter({ hasText: /Failed again\s*sent/ })
    .waitFor();
  await page.keyboard.press('Escape');
  await go(`/integrations/${team.integrationId}/deliveries`);
  await page
    .getByRole('button', { name: /workflow_run/ })
    .first()
    .click();
  await page
    .getByRole('list', { name: 'Rules' })
    .getByText(/Broken main sent: Sent to 1 of 1 channel/)
    .waitFor();
  await go(`/integrations/${team.integrationId}/rules`);
  await page.getByRole('row', { name: /Broken main.*1 incident in 30 days/ }).waitFor();
  await isFineInBothThemes(page);
  assert.deepEqual(errors, []);
});

test('an invalid rule names the field, rules are edited and deleted, and a viewer only reads them', async () => {
  const team = await product.newTeam();
  await team.member.call('POST', team.path('/notification-rules'), {
    ...ruleBody({ name: 'Old name', channels: [{ type: 'email', to: ['a@example.com'] }] }),
  });
  const { page, go } = await openAs(product, team.member, { width: 390, height: 844 });
  await go(`/integrations/${team.integrationId}/rules`);
  await page.getByRole('button', { name: 'Edit Old name' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit notification rule' });
  await dialog.getByLabel('Addresses').fill('not an address');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await hasFocus(dialog.getByLabel('Addresses'));
  await dialog.getByText('Enter e-mail addresses, such as name@example.com.').waitFor();
  await dialog.getByLabel('Addresses').fill('b@example.com');
  await dialog.getByLabel('Name').fill('New name');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /New name.*b@example.com/ }).waitFor();
  assert.equal(await sidewaysScroll(page), 0);
  await page.getByRole('button', { name: 'Delete New name' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No notification rules').waitFor();

  const viewer = await openAs(product, team.viewer);
  await viewer.go(`/integrations/${team.integrationId}/rules`);
  const add = viewer.page.getByRole('button', { name: 'New rule…' });
  await add.press('Enter');
  assert.equal(await viewer.page.getByRole('dialog').count(), 0);
  assert.match((await add.getAttribute('title')) ?? '', /Your role here is viewer/);
});

test('a comma in a name is entered directly, and editing a rule keeps its stored patterns', async () => {
  const team = await product.newTeam();
  const { page, errors, go } = await openAs(product, team.member);
  await go(`/integrations/${team.integrationId}/rules`);
  await page.getByRole('button', { name: 'New rule…' }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Matrix');
  await dialog.getByRole('textbox', { name: 'Jobs' }).fill('test (ubuntu-latest, 20), !"Ship, it"');
  await dialog.getByLabel('Addresses').fill('team@example.com');
  await dialog.getByLabel('Name').press('Enter');
  await page.getByRole('row', { name: /Matrix.*jobs test \(ubuntu-latest, 20\), !"Ship, it"/ }).waitFor();
  const storedRule = async () => {
    const { body } = await team.member.call('GET', team.path('/notification-rules'));
    return body.items[0] as unknown as NotificationRule;
  };
  const rule = await storedRule();
  assert.deepEqual(rule.jobs, { include: ['test (ubuntu-latest, 20)'], exclude: ['Ship, it'] });

  const workflows = { include: ['!important', 'a, b', ' c', '(d', 'e)'], exclude: ['"f"'] };
  await team.member.call('PUT', team.path(`/notification-rules/${rule.ruleId}`), ruleBody({ workflows }));
  await page.reload();
  await page.getByRole('button', { name: /^Edit / }).click();
  await dialog.getByLabel('Name').fill('Renamed');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /Renamed/ }).waitFor();
  assert.deepEqual((await storedRule()).workflows, workflows);
  assert.deepEqual(errors, []);
});

test('input survives a click outside the dialog and Escape until it is discarded', async () => {
  const team = await product.newTeam();
  const { page, errors, go } = await openAs(product, team.member);
  await go(`/integrations/${team.integrationId}/rules`);
  const add = page.getByRole('button', { name: 'New rule…' });
  const editor = page.getByRole('dialog', { name: 'New notification rule' });
  const question = page.getByRole('dialog', { name: 'Discard changes?' });
  await add.press('Enter');
  await editor.waitFor();
  await page.mouse.click(5, 5);
  await editor.waitFor({ state: 'detached' });

  await add.press('Enter');
  const name = editor.getByLabel('Name');
  await name.fill('Half a rule');
  await page.mouse.click(5, 5);
  await question.waitFor();
  await isFineInBothThemes(page);
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await question.waitFor({ state: 'detached' });
  await hasFocus(name);
  await page.keyboard.press('Escape');
  await question.waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  assert.equal(await name.inputValue(), 'Half a rule');
  await editor.getByRole('button', { name: 'Close' }).press('Enter');
  await question.getByRole('button', { name: 'Discard' }).press('Enter');
  await editor.waitFor({ state: 'detached' });
  await hasFocus(add);
  assert.deepEqual(errors, []);
});

test('a signing secret stays visible until it is confirmed, and can be replaced', async () => {
  const team = await product.newTeam();
  const { page, errors, go } = await openAs(product, team.member);
  await go(`/integrations/${team.integrationId}/rules`);
  await page.getByRole('button', { name: 'New rule…' }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Signed');
  await dialog.getByRole('combobox', { name: 'Channel 1' }).selectOption('webhook');
  await dialog.getByLabel('Webhook URL').fill('https://hooks.example.com/x');
  await dialog.getByLabel('Name').press('Enter');
  const secret = dialog.locator('code').filter({ hasText: 'whsec_' });
  await secret.waitFor();
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  const first = await secret.textContent();
  await isFineInBothThemes(page);
  assert.equal(await dialog.getByRole('button', { name: 'Close' }).count(), 0);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Edit Signed' }).click();
  await dialog.getByLabel('Replace the signing secret of channel 1').check();
  await isFineInBothThemes(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await secret.waitFor();
  assert.notEqual(await secret.textContent(), first);
  assert.deepEqual(errors, []);
});

test('matching workflows are shown while patterns are typed', async () => {
  const team = await product.newTeam();
  const post = (id: number, run: object) =>
    postWebhook(product.baseUrl, team, {
      event: 'workflow_run',
      payload: endOfRun(id, 'success', id, run),
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
  await go(`/integrations/${team.integrationId}/rules`);
  await page.getByRole('button', { name: 'New rule…' }).press('Enter');
  const preview = page.getByRole('region', { name: 'Matching workflows' });
  await preview.getByText('could not be loaded. Broken.').waitFor();
  isBroken = false;
  errors.length = 0;
  await page.reload();
  await page.getByRole('button', { name: 'New rule…' }).press('Enter');
  await preview.getByText('2 of the 2 workflows in the newest 3 runs match.').waitFor();
  await preview
    .getByRole('listitem')
    .filter({ hasText: /CI.*acme\/site.*main, release\/1/ })
    .waitFor();

  await page.getByLabel('Branches').focus();
  await page.keyboard.type('release/*');
  await preview.getByText('1 of the 2 workflows').waitFor();
  assert.doesNotMatch((await preview.textContent()) ?? '', /main|Deploy/);
  await page.getByLabel('Workflows', { exact: true }).fill('!c?');
  await preview.getByText('None of the 2 workflows').waitFor();
  await isFineInBothThemes(page);
  assert.equal(await sidewaysScroll(page), 0);
  assert.deepEqual(errors, []);
});
