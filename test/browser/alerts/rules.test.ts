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
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { backTest, channel, newRule, openAdvanced } from '#test/support/browser/rule-form.ts';

const mailServer = await startMailServer();
const product = await startTeamProduct({ SMTP_URL: mailServer.url }, ['api', 'worker']);

test('a member creates and tests a rule by keyboard, and sees its notification', async () => {
  const team = await product.newTeam();
  const { page, errors, go } = await openAs(product, team.member);
  await go(`/integrations/${team.integrationId}/rules`);
  await page.getByText('No notification rules').waitFor();
  await newRule(page).press('Enter');
  await page.getByRole('heading', { name: 'New notification rule' }).waitFor();
  await hasFocus(channel(page));
  await page.keyboard.type('team@example.com');
  assert.equal(await page.getByLabel('Kind of channel').inputValue(), 'email');
  await openAdvanced(page);
  const cooldown = page.getByLabel('Cooldown (minutes)');
  await cooldown.fill('99999');
  await backTest(page).getByText('cooldownMinutes: Enter 10080 or less.').waitFor();
  // Errors at closed fields open them.
  await openAdvanced(page);
  await channel(page).press('Enter');
  await hasFocus(cooldown);
  await page
    .locator('form')
    .getByText(/^Enter \d+ or less\.$/)
    .waitFor();
  errors.length = 0;
  await cooldown.fill('0');
  await backTest(page).getByText('0 failures would have matched').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Broken main');
  await page.getByRole('textbox', { name: 'Branches' }).fill('main');
  await page.getByLabel('Notify', { exact: true }).selectOption('On every failure');
  await isFineInBothThemes(page);
  await page.getByLabel('Name', { exact: true }).press('Enter');
  await page.getByText('Rule created').waitFor();
  await page.getByRole('row', { name: /Broken main.*branches main.*team@example.com.*Never/ }).waitFor();

  await page.getByRole('button', { name: 'Send a test notification for Broken main' }).press('Enter');
  await page.getByText(/team@example.com: sent in/).waitFor();
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: endOfRun(1, 'failure', 10) });
  await waitUntil('the notification', async () => mailServer.mails.length === 2);
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

test('a Slack channel is notified about main with three inputs, and about what is red already', async () => {
  const team = await product.newTeam();
  const post = (id: number, run: object = {}) =>
    postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: endOfRun(id, 'failure', id, run) });
  await post(1);
  await post(2, { head_branch: 'topic' });
  const { page, errors, go } = await openAs(product, team.member, { width: 1280, height: 800 });
  await go(`/integrations/${team.integrationId}/runs`);
  await page.getByText('2 runs').waitFor();
  await go(`/integrations/${team.integrationId}/rules`);
  let inputs = 0;
  const input = async (act: () => Promise<void>): Promise<void> => {
    inputs += 1;
    await act();
  };
  await input(() => newRule(page).click());
  await hasFocus(channel(page));
  await input(() => page.keyboard.insertText('https://hooks.slack.com/services/T0/B0/secret'));
  await input(() => page.keyboard.press('Enter'));
  assert.equal(inputs, 3);
  await page.getByText('Rule created. It notifies about 1 workflow that is red now.').waitFor();
  await page
    .getByRole('row', { name: /Broken default branch.*the default branch.*hooks.slack.com/ })
    .waitFor();
  const { body } = await team.member.call('GET', team.path('/notification-rules'));
  const [rule] = body.items as unknown as NotificationRule[];
  assert.deepEqual([rule?.defaultBranchOnly, rule?.channels[0]?.type], [true, 'slack']);

  await newRule(page).press('Enter');
  await channel(page).fill('Slack or compatible at hooks.slack.com, as in “Broken default branch”');
  await channel(page).press('Enter');
  await page
    .getByRole('row', { name: /hooks.slack.com/ })
    .nth(1)
    .waitFor();
  assert.deepEqual(errors, []);
});

test('an invalid rule names the field, rules are edited and deleted, and a viewer only reads them', async () => {
  const team = await product.newTeam();
  const { body } = await team.member.call('POST', team.path('/notification-rules'), {
    ...ruleBody({ name: 'Old name', channels: [{ type: 'email', to: ['a@example.com'] }] }),
  });
  const { page, go } = await openAs(product, team.member, { width: 390, height: 844 });
  await go(`/integrations/${team.integrationId}/rules`);
  await page.getByRole('link', { name: 'Edit Old name' }).click();
  await page.getByRole('heading', { name: 'Edit notification rule' }).waitFor();
  await channel(page).fill('not an address');
  await page.getByRole('button', { name: 'Save rule' }).click();
  await hasFocus(channel(page));
  await page.getByText('Enter e-mail addresses, such as name@example.com.').waitFor();
  await channel(page).fill('b@example.com');
  await openAdvanced(page);
  await page.getByLabel('Name', { exact: true }).fill('New name');
  await page.getByRole('button', { name: 'Save rule' }).click();
  await page.getByRole('row', { name: /New name.*b@example.com/ }).waitFor();
  assert.equal(await sidewaysScroll(page), 0);
  const viewer = await openAs(product, team.viewer);
  await viewer.go(`/integrations/${team.integrationId}/rules/${String(body['ruleId'])}`);
  const save = viewer.page.getByRole('button', { name: 'Save rule' });
  assert.match((await save.getAttribute('title')) ?? '', /Your role here is viewer/);
  assert.equal(await channel(viewer.page).isDisabled(), true);
  await isFineInBothThemes(viewer.page);

  await page.getByRole('button', { name: 'Delete New name' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No notification rules').waitFor();
  await viewer.go(`/integrations/${team.integrationId}/rules`);
  const add = viewer.page.getByRole('button', { name: 'New rule' });
  await add.press('Enter');
  assert.match((await add.getAttribute('title')) ?? '', /Your role here is viewer/);
});

test('a comma in a name is entered directly, and editing a rule keeps its stored patterns', async () => {
  const team = await product.newTeam();
  const { page, errors, go } = await openAs(product, team.member);
  await go(`/integrations/${team.integrationId}/rules/new`);
  await channel(page).fill('team@example.com');
  await openAdvanced(page);
  await page.getByLabel('Name', { exact: true }).fill('Matrix');
  await page.getByRole('textbox', { name: 'Jobs' }).fill('test (ubuntu-latest, 20), !"Ship, it"');
  await page.getByLabel('Name', { exact: true }).press('Enter');
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
  await page.getByRole('link', { name: /^Edit / }).click();
  await openAdvanced(page);
  await page.getByLabel('Name', { exact: true }).fill('Renamed');
  await page.getByRole('button', { name: 'Save rule' }).click();
  await page.getByRole('row', { name: /Renamed/ }).waitFor();
  assert.deepEqual((await storedRule()).workflows, workflows);
  assert.deepEqual(errors, []);
});

test('a signing secret stays visible until it is confirmed, and can be replaced', async () => {
  const team = await product.newTeam();
  const { page, errors, go } = await openAs(product, team.member);
  await go(`/integrations/${team.integrationId}/rules/new`);
  await channel(page).fill('https://hooks.example.com/x');
  await page.getByLabel('Kind of channel').selectOption('webhook');
  await channel(page).press('Enter');
  const shown = page.getByRole('region', { name: 'Signing secrets' });
  const secret = shown.locator('code').filter({ hasText: 'whsec_' });
  await secret.waitFor();
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: 'Leave without the secret?' });
  await question.getByRole('button', { name: 'Stay' }).press('Enter');
  await question.waitFor({ state: 'detached' });
  const first = await secret.textContent();
  await isFineInBothThemes(page);
  await shown.getByRole('button', { name: 'Done' }).click();
  await shown.waitFor({ state: 'detached' });

  await page.getByRole('link', { name: 'Edit Broken default branch' }).click();
  await page.getByLabel('Replace the signing secret of channel 1').check();
  await isFineInBothThemes(page);
  await page.getByRole('button', { name: 'Save rule' }).click();
  await secret.waitFor();
  assert.notEqual(await secret.textContent(), first);
  assert.deepEqual(errors, []);
});
