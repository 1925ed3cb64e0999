import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import {
  chooseItem,
  escapeTo,
  hasFocus,
  openAs,
  sidewaysScroll,
} from '#test/support/browser/page-session.ts';
import { postFailedJob, type FailedJobFacts } from '#test/support/data/failed-job.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);

const send = (team: Team, facts: FailedJobFacts) => postFailedJob(product.baseUrl, team, facts);

async function groups(team: Team, count: number): Promise<void> {
  await waitUntil(`${count} groups`, async () => {
    // The API answers only so many requests a minute.
    await delay(200);
    const { body } = await team.viewer.call('GET', team.path('/failure-groups'));
    return body.items.length === count;
  });
}

test('the page of a run shows why it is red without a click, and live', async () => {
  const team = await product.newTeam();
  await send(team, { id: 1, step: 'Run npm test', branch: 'topic' });
  await groups(team, 1);
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/runs/1`);
  const failures = page.getByRole('region', { name: 'Failures' });
  await failures.getByText('Step Run npm test failed').waitFor();
  await failures.getByText('New on this branch').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await send(team, { id: 2, runId: 1, name: 'lint', step: 'Run oxlint', branch: 'topic' });
  await failures.getByText('Step Run oxlint failed').waitFor();
  const step = failures.getByRole('link', { name: /Step at the forge of build/ });
  assert.equal(
    await step.getAttribute('href'),
    'https://forge.example.com/acme/site/actions/runs/1/job/1#step:2:1',
  );
  await isFineInBothThemes(page);
  await failures.getByRole('button', { name: /^lint/ }).press('Enter');
  await hasFocus(page.getByRole('button', { name: /lint.*Failed/, expanded: true }));
  await go(`/integrations/${team.integrationId}/runs`);
  await page
    .getByRole('row', { name: /Change 1/ })
    .getByText('Step Run npm test failed')
    .waitFor();
  assert.deepEqual(errors, []);
});

test('the failures page is live, filters by status in its address and works by keyboard', async () => {
  const team = await product.newTeam();
  await send(team, { id: 1, step: 'Compile', ago: 900 });
  await send(team, { id: 2, step: 'Compile', ago: 800 });
  await groups(team, 1);
  const { page, errors, go } = await openAs(product, team.member);
  await go(`/integrations/${team.integrationId}/failures`);
  await page.getByRole('link', { name: 'Step Compile failed' }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await send(team, { id: 3, step: 'Lint', branch: 'topic' });
  const lint = page.getByRole('link', { name: 'Step Lint failed' });
  await lint.waitFor();
  await isFineInBothThemes(page);

  // A filter that is set offers the other values too.
  for (const branch of ['main', 'topic']) {
    await page.getByRole('button', { name: /^Branch/ }).press('Enter');
    await chooseItem(page, branch);
    await lint.waitFor({ state: branch === 'topic' ? 'visible' : 'detached' });
  }
  await page.getByRole('button', { name: 'Remove filter Branch topic' }).press('Enter');
  await page.getByRole('link', { name: 'Step Compile failed' }).waitFor();

  await page.getByRole('button', { name: 'Open' }).first().click();
  // Without a log, the group names no test that could be flaky.
  await page.getByRole('menuitemradio', { name: 'Acknowledged' }).waitFor();
  assert.equal(await page.getByRole('menuitemradio', { name: 'Known flaky' }).count(), 0);
  await page.getByRole('menuitemradio', { name: 'Acknowledged' }).click();
  await page.getByRole('button', { name: 'Acknowledged' }).waitFor();
  await go(`/integrations/${team.integrationId}/failures?status=open`);
  await page.getByRole('link', { name: 'Step Compile failed' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Step Lint failed' }).count(), 0);

  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await hasFocus(page.getByRole('heading', { name: 'build – Compile', level: 1 }));
  await escapeTo(page.getByRole('link', { name: 'Step Compile failed' }));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Where it began on main' }).waitFor();
  await page.getByRole('link', { name: 'Change 2' }).waitFor();
  await isFineInBothThemes(page);

  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('menuitemradio', { name: 'Acknowledged' }).click();
  await page.getByRole('button', { name: 'Add note…' }).press('Enter');
  await page.getByRole('dialog').getByLabel('Note', { exact: true }).fill('Waiting for the new compiler');
  await isFineInBothThemes(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Save note' }).press('Enter');
  await page.getByText(/: Waiting for the new compiler/).waitFor();
  await page.getByRole('button', { name: 'Acknowledged' }).waitFor();
  await page.getByRole('button', { name: 'Edit note…' }).waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL(/failures\?status=open$/);
  assert.deepEqual(errors, []);
});

test('on a phone the failures, a run and a group keep the accessibility rules and do not scroll sideways', async () => {
  const team = await product.newTeam();
  await send(team, {
    id: 1,
    step: 'Build a step with a very long name that needs more than one line of a phone',
  });
  await groups(team, 1);
  const { page, go } = await openAs(product, team.viewer, { width: 390, height: 844 });
  const { body } = await team.viewer.call('GET', team.path('/failure-groups'));
  for (const path of ['failures', 'runs/1', `failures/${String(body.items[0]?.['groupId'])}`]) {
    await go(`/integrations/${team.integrationId}/${path}`);
    await page
      .getByText(/^Step Build a step/)
      .first()
      .waitFor();
    assert.equal(await sidewaysScroll(page), 0, path);
    await isFineInBothThemes(page);
  }
});
