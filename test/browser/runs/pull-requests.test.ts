import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { escapeTo, openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { reviewPayload } from '#test/support/data/forge-events.ts';
import { failedJob, pull, run, sha } from '#test/support/data/pull-request-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);

async function send(team: Team, ...events: [string, object][]): Promise<void> {
  for (const [event, payload] of events)
    await postWebhook(product.baseUrl, team, { event, payload: payload as Record<string, unknown> });
}

/** Waits for the reason of the failed job of the pull request. */
async function reasonOf(team: Team, number: number): Promise<void> {
  await waitUntil('the reason', async () => {
    const { body } = await team.viewer.call('GET', team.path(`/pull-requests/${number}`));
    return JSON.stringify(body).includes('"groupId":"');
  });
}

/** A team with the pull request 12, whose newest commit fails and whose first one passed. */
async function teamWithRedPullRequest(author = 'ann'): Promise<Team> {
  const team = await product.newTeam();
  await send(
    team,
    ['pull_request', pull({ number: 12, title: 'Round the amount once', branch: 'fix/round', author })],
    ['workflow_run', run({ id: 1, branch: 'fix/round', head: sha('a'), numbers: [12], minutesAgo: 90 })],
    ['workflow_run', run({ id: 2, branch: 'fix/round', numbers: [12], conclusion: 'failure' })],
    ['workflow_job', failedJob({ runId: 2, step: 'Run npm test' })],
  );
  await reasonOf(team, 12);
  return team;
}

const checksOf = (page: Page) => page.getByRole('region', { name: /^Checks of bbbbbbb/ });

test('a pull request is found with one field and one click, and shows why it is red, live', async () => {
  const team = await teamWithRedPullRequest();
  const { page, errors, go } = await openAs(product, team.viewer);
  for (const text of ['#12', 'fix/round', sha('b').slice(0, 8), sha('a')]) {
    await go(`/integrations/${team.integrationId}/runs`);
    await page.getByRole('searchbox').fill(text);
    await page.getByRole('link', { name: '#12 Round the amount once' }).click();
    await checksOf(page).getByText('Step Run npm test failed').waitFor();
  }
  const checks = checksOf(page);
  await page.getByText('1 check failed: not known').waitFor();
  await checks.getByText('Not known: the job has no result on the base branch').waitFor();
  await page.getByRole('heading', { name: 'Earlier commits' }).waitFor();
  await page.locator('summary').filter({ hasText: 'aaaaaaa' }).press('Enter');
  await page.getByText('Commit of 1').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();

  await send(team, [
    'workflow_run',
    run({ id: 3, branch: 'fix/round', numbers: [12], workflow: 'Lint', conclusion: null }),
  ]);
  await checks.getByRole('listitem', { name: 'Lint' }).getByText('Running').waitFor();
  const review = { id: 1, user: { login: 'bob' }, state: 'approved' };
  await send(team, ['pull_request_review', reviewPayload(review, { pull_request: { number: 12 } })]);
  await page.getByText('bob approved').waitFor();
  await isFineInBothThemes(page);
  assert.deepEqual(errors, []);
});

test('the command palette finds a pull request', async () => {
  const team = await teamWithRedPullRequest();
  const { page, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/metrics`);
  await page.getByRole('heading', { name: 'Metrics' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command' }).fill(sha('b').slice(0, 9));
  await page.getByRole('option', { name: /#12 Round the amount once/ }).click();
  await checksOf(page).waitFor();
});

test('my pull requests come first, live, and a person without any sees what to do', async () => {
  const team = await product.newTeam();
  const { body } = await team.member.call('GET', '/api/user');
  const { page, errors, go } = await openAs(product, team.member);
  await go(`/integrations/${team.integrationId}/pull-requests`);
  await page.getByRole('heading', { name: 'No open pull requests of yours' }).waitFor();
  await isFineInBothThemes(page);
  await page.getByText('Live', { exact: true }).waitFor();
  const author = String(body['forgeLogin']);
  await send(
    team,
    ['pull_request', pull({ number: 1, author, branch: 'one', head: sha('1') })],
    ['pull_request', pull({ number: 2, author, branch: 'two', head: sha('2') })],
    ['pull_request', pull({ number: 3, author: 'ann', branch: 'three', head: sha('3') })],
    ['workflow_run', run({ id: 1, head: sha('1'), branch: 'one', numbers: [1] })],
    ['workflow_run', run({ id: 2, head: sha('2'), branch: 'two', numbers: [2], conclusion: 'failure' })],
  );
  const table = page.getByRole('table', { name: 'Pull requests' });
  await table.getByRole('row', { name: /Change 1.*Passed/ }).waitFor();
  await table.getByRole('row', { name: /Change 2.*Failed/ }).waitFor();
  const titles = await table.getByRole('link').allInnerTexts();
  assert.deepEqual(titles, ['Change 2 #2', 'Change 1 #1']);
  await isFineInBothThemes(page);

  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Change 2 #2' }).waitFor();
  await escapeTo(table.getByRole('link', { name: 'Change 2' }));
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.getByRole('link', { name: 'Change 3 #3' }).waitFor();
  assert.deepEqual(errors, []);
});

test('an address without repository opens the pull request, or offers the search when there are several', async () => {
  const team = await teamWithRedPullRequest();
  const { page, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/pull-requests/12`);
  await checksOf(page).waitFor();
  await send(team, ['pull_request', pull({ number: 12, repository: 'acme/api', title: 'Another one' })]);
  await waitUntil('both', async () => {
    const { body } = await team.viewer.call('GET', team.path('/pull-requests?q=12'));
    return body.items.length === 2;
  });
  await go(`/integrations/${team.integrationId}/pull-requests/12`);
  await page.getByRole('heading', { name: 'Several repositories have this number' }).waitFor();
  await page.getByRole('link', { name: 'Search pull requests' }).click();
  await page.getByRole('link', { name: 'Another one #12' }).waitFor();
  await page.getByRole('link', { name: 'Round the amount once #12' }).waitFor();
  await go(`/integrations/${team.integrationId}/pull-requests/99`);
  await page.getByRole('heading', { name: 'Pull request not found' }).waitFor();
});

test('on a phone pull requests keep the accessibility rules and do not scroll sideways', async () => {
  const team = await teamWithRedPullRequest();
  const { page, go } = await openAs(product, team.viewer, { width: 390, height: 844 });
  for (const [path, text] of [
    ['pull-requests?show=open', 'Round the amount once'],
    ['pull-requests/12', 'Step Run npm test failed'],
    ['runs?q=12', '#12 Round the amount once'],
  ] as const) {
    await go(`/integrations/${team.integrationId}/${path}`);
    await page.getByText(text).first().waitFor();
    assert.equal(await sidewaysScroll(page), 0, path);
    await isFineInBothThemes(page);
  }
});
