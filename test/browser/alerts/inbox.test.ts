import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfJob, endOfRun } from '#test/support/alerts/alert-program.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { chooseItem, hasFocus, openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';

const product = await startTeamProduct({}, ['api', 'worker']);

const sha = (letter: string): string => letter.repeat(40);

async function post(team: Team, event: string, payload: object): Promise<void> {
  assert.equal((await postWebhook(product.baseUrl, team, { event, payload })).status, 200);
}

/** A team with a rule and an incident: the job "test (20)" fails in the step "Run tests". */
async function brokenTeam(label: string): Promise<Team> {
  const team = await product.newTeam(label);
  await team.owner.call('POST', team.path('/notification-rules'), ruleBody({ events: ['run'] }));
  await post(team, 'workflow_run', endOfRun(1, 'success', 10, { head_sha: sha('a') }));
  const job = endOfJob(2, 20, 'failure', 19);
  const step = { name: 'Run tests', number: 2, status: 'completed', conclusion: 'failure' };
  await post(team, 'workflow_job', { ...job, workflow_job: { ...job.workflow_job, steps: [step] } });
  const broken = { head_sha: sha('b'), actor: { login: 'ann' } };
  await post(team, 'workflow_run', endOfRun(2, 'failure', 20, broken));
  return team;
}

const overview = (team: Team): string => `/integrations/${team.integrationId}/overview`;

test('a member reads what broke and acts on it from the list; another screen follows', async () => {
  const team = await brokenTeam('Shop');
  const { page, errors, go } = await openAs(product, team.member);
  const other = await openAs(product, team.viewer);
  await go(overview(team));
  await other.go(overview(team));
  const row = page.getByRole('row', { name: /^CI acme\/site main/ });
  await row.getByText('test (20)').waitFor();
  await row.getByText('Run tests').waitFor();
  await row.getByText('bbbbbbb by ann').waitFor();
  await row.getByText('Last green aaaaaaa').waitFor();
  await isFineInBothThemes(page);

  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  // The answers to the changes are enough: the list is read later.
  await page.route('**/incidents?*', (route) => released.then(() => route.continue()));
  const acknowledge = row.getByRole('button', { name: 'Acknowledge CI on main', exact: true });
  await acknowledge.press('Enter');
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await page.getByText('Acknowledgement removed').waitFor();
  await acknowledge.press('Enter');
  await row.getByText('Acknowledged by member').waitFor();
  release();
  const seen = other.page.getByRole('row', { name: /^CI acme\/site main/ });
  await seen.getByText('Acknowledged by member').waitFor();
  assert.equal(await seen.getByRole('button').count(), 0, 'a viewer has no actions');

  await page.getByRole('button', { name: 'Unacknowledged' }).press('Enter');
  await page.waitForURL(/show=unacknowledged/);
  await page.getByText('Every open incident is acknowledged or snoozed.').waitFor();
  await page.getByRole('button', { name: 'All', exact: true }).press('Enter');

  await page.getByRole('button', { name: 'Assign CI on main' }).press('Enter');
  await chooseItem(page, 'admin');
  await row.getByText('Assigned to admin').waitFor();
  await page.getByRole('button', { name: 'Mine' }).press('Enter');
  await page.getByText('No open incident is assigned to you.').waitFor();
  await page.getByRole('button', { name: 'All', exact: true }).press('Enter');
  await page.keyboard.press('j');
  await hasFocus(row.getByRole('link', { name: 'CI', exact: true }));
  await page.keyboard.press('m');
  await row.getByText('Assigned to member').waitFor();

  await page.getByRole('button', { name: 'Snooze CI on main' }).press('Enter');
  await chooseItem(page, 'For 4 hours');
  await row.getByText(/Snoozed until/).waitFor();
  await page.getByRole('button', { name: 'Snooze CI on main' }).press('Enter');
  await page.getByRole('menuitem', { name: 'End snooze' }).press('Enter');
  await row.getByText(/Snoozed until/).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Close CI on main…' }).press('Enter');
  await page.getByLabel('Note (optional)').fill('The runner was broken');
  await page.getByLabel('Note (optional)').press('Enter');
  await page.getByText('Incident closed').waitFor();
  await row.getByRole('button', { name: 'Snooze CI on main' }).waitFor({ state: 'detached' });
  await go(`/integrations/${team.integrationId}/incidents`);
  await page.getByText('The runner was broken').waitFor();
  await page.getByRole('button', { name: 'Reopen CI on main' }).press('Enter');
  await page.getByRole('row', { name: /CI.*Open for/ }).waitFor();
  assert.deepEqual(errors, []);
});

test('on a phone a tap anywhere in a row opens the failed run', async () => {
  const team = await brokenTeam('Phone');
  const { page, errors, go } = await openAs(product, team.member, { width: 390, height: 844 });
  await go(overview(team));
  const row = page.getByRole('row', { name: /^CI acme\/site main/ });
  await row.getByText('Last green').waitFor();
  assert.equal(await sidewaysScroll(page), 0);
  const box = await row.boundingBox();
  assert.ok(box !== null && box.height >= 44);
  await page.mouse.click(box.x + box.width - 8, box.y + box.height - 8);
  await page.waitForURL(/\/runs\/2$/);
  assert.deepEqual(errors, []);
});

test('an action on an incident that somebody else changed asks to reload', async () => {
  const team = await brokenTeam('Both');
  const { page, go } = await openAs(product, team.member);
  await go(overview(team));
  const button = page.getByRole('button', { name: 'Acknowledge CI on main' });
  await button.waitFor();
  await page.route('**/incidents/*', async (route) => {
    const change = { version: 1, assigneeId: team.admin.userId };
    const path = new URL(route.request().url()).pathname;
    // Refused when it is not the first one.
    await team.admin.call('PATCH', path, change);
    await route.continue();
  });
  await button.press('Enter');
  await page.getByText('Somebody else has changed this incident. Reload it and try again.').waitFor();
  await page.getByText('Assigned to admin').waitFor();
});
