import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QuarantineList } from '#contract/tests/tests.ts';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import {
  chooseItem,
  escapeTo,
  hasFocus,
  openAs,
  pressTogether,
  sidewaysScroll,
} from '#test/support/browser/page-session.ts';
import { jobPayload, pullRequestPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { failed, passed, reportSender, xml, type ReportedRun } from '#test/support/team/test-reports.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const { startRun, upload } = reportSender(product);
const team = await product.newTeam();
// Before any page is open: the open pages of its people would all reconnect at once.
const other = await product.newTeam('Without reports');
const longName = `accepts an address ${'with a very long name '.repeat(8)}`;

/** Ends a run on main and its job in red. */
async function endRed({ id, sha }: ReportedRun): Promise<void> {
  const at = new Date(Date.now() - 2 * 3_600_000).toISOString();
  const ended = { status: 'completed', conclusion: 'failure' };
  await startRun(team, {
    ...ended,
    id,
    sha,
    hoursAgo: 3,
    updated_at: at,
    run_number: 9,
    display_title: 'Break the payment',
  });
  const job = { id: 900, run_id: id, name: 'unit', head_branch: 'main', started_at: at, completed_at: at };
  const payload = jobPayload({ ...ended, ...job });
  assert.equal((await postWebhook(product.baseUrl, team, { event: 'workflow_job', payload })).status, 200);
}

/** A broken test, two flaky ones of different cost, and one that fails on a branch only. */
async function reportTests(): Promise<void> {
  const others = ['adds', 'removes', 'sorts'].map(passed);
  for (const [n, hoursAgo] of [120, 96, 72].entries()) {
    const { id } = await startRun(team, { hoursAgo, run_number: n + 1, display_title: `Change ${n + 1}` });
    await upload(
      team,
      { run: id, suite: 'unit' },
      xml(passed('pays'), passed('ships'), passed(longName), ...others),
    );
  }
  for (const [n, hoursAgo] of [60, 40, 20].entries()) {
    const facts = { branch: `topic-${n}`, run_number: n + 4, display_title: `Topic ${n}` };
    const run = await startRun(team, { ...facts, hoursAgo });
    const timeout = failed('ships', `timed out after ${n}000 ms`);
    await upload(team, { run: run.id, suite: 'unit' }, xml(timeout, passed('pays'), ...others));
    await startRun(team, { ...facts, id: run.id, sha: run.sha, attempt: 2, hoursAgo: hoursAgo - 1 });
    const again = n === 2 ? timeout : passed('ships');
    await upload(team, { run: run.id, attempt: 2, suite: 'unit' }, xml(again, passed('pays'), ...others));
  }
  const costly = '<testcase name="uploads" time="90"><flakyFailure message="connection reset"/></testcase>';
  const red = await startRun(team, { hoursAgo: 3, run_number: 9, display_title: 'Break the payment' });
  await endRed(red);
  await upload(
    team,
    { run: red.id, suite: 'unit' },
    xml(failed('pays', 'expected 12 but got 13'), passed('ships'), costly, ...others),
  );
  const branch = await startRun(team, { branch: 'feature', run_number: 10, display_title: 'Try it' });
  await upload(team, { run: branch.id, suite: 'unit' }, xml(failed(longName, 'no such address'), ...others));
}
await reportTests();

test('the tests page answers in one click which tests cost most, and by its keyboard', async () => {
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/overview`);
  await page.getByRole('link', { name: 'Tests', exact: true }).waitFor();
  await pressTogether(page, 'g', 't');
  const rows = page.getByRole('table', { name: 'Tests' }).getByRole('row');
  await rows.filter({ hasText: 'pays' }).getByText('Broken').waitFor();
  await rows
    .filter({ hasText: longName.slice(0, 40) })
    .getByText('Failed on 1 other branch')
    .waitFor();
  await rows.filter({ hasText: 'ships' }).getByText('passed on retry 2 of 3').waitFor();
  await isFineInBothThemes(page);

  await page.getByRole('button', { name: 'Time lost' }).click();
  await page.waitForURL(/sort=lost/);
  await rows.nth(1).getByText('uploads').waitFor();
  await rows.nth(1).getByText('1m 30s').waitFor();
  assert.equal(await rows.count(), 3);

  await page.getByRole('button', { name: /^State/ }).press('Enter');
  await chooseItem(page, /^Broken/);
  await page.waitForURL(/state=broken/);
  await page.getByRole('button', { name: 'Last failure' }).click();
  await rows.nth(1).getByText('pays').waitFor();
  assert.equal(await rows.count(), 2);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await hasFocus(page.getByRole('heading', { name: 'pays', level: 1 }));
  await escapeTo(page.getByRole('link', { name: 'pays' }));
  await page.goBack();
  assert.deepEqual(errors, []);
});

test('each figure of the tests page counts the list that it opens', async () => {
  const { page, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/tests`);
  const figures = page.locator('dl[aria-label="Numbers"] a[data-count]');
  await figures.first().waitFor();
  const states = 6;
  assert.equal(await figures.count(), states);
  for (let at = 0; at < states; at += 1) {
    const count = Number(await figures.nth(at).getAttribute('data-count'));
    await figures.nth(at).click();
    const rows = page.locator('table[aria-label=Tests] tbody tr');
    await waitUntil(`${count} rows`, async () => (await rows.count()) === count);
  }
});

test('the page of a test says whether it is flaky, since when and how often, in one click', async () => {
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/tests`);
  await page.getByRole('link', { name: 'ships' }).click();
  const state = page.getByRole('region', { name: 'State' });
  await state.getByText('Flaky', { exact: true }).waitFor();
  await state.getByText(/for 2d.*: passed on retry 2 of 3 in 14 days/).waitFor();
  await state.getByText(/Last failed and passed on one commit in/).waitFor();
  await state.getByRole('link', { name: 'Topic 1 #5' }).waitFor();
  const messages = page.getByRole('region', { name: 'Failure messages' });
  assert.equal(await messages.getByText('timed out after 2000 ms').count(), 1);
  await messages.getByText('4 failures, 2 passed on a retry').waitFor();
  await messages.getByText('timed out after 2000 ms').click();
  await messages.getByText('at cart.ts:1').waitFor();
  await isFineInBothThemes(page);
  assert.deepEqual(errors, []);
});

test('a member puts a flaky test into quarantine with three clicks and a reason, and ends it', async () => {
  const { page, errors, go } = await openAs(product, team.member);
  await go(`/integrations/${team.integrationId}/tests`);
  await page.getByRole('link', { name: 'ships' }).click();
  await page.getByRole('button', { name: 'Quarantine…' }).click();
  await page.getByRole('textbox', { name: 'Reason' }).fill('Waits for a clock');
  await isFineInBothThemes(page);
  await page.getByRole('button', { name: 'Quarantine', exact: true }).click();
  const state = page.getByRole('region', { name: 'State' });
  await state.getByText(/Waits for a clock/).waitFor();
  const path = `/api/integrations/${team.integrationId}/quarantine.json`;
  const { items } = (await team.viewer.call('GET', path)).body as unknown as QuarantineList;
  assert.deepEqual(
    items.map(({ name, quarantine }) => [name, quarantine.reason]),
    [['ships', 'Waits for a clock']],
  );
  const days = (Date.parse(items[0]?.quarantine.until ?? '') - Date.now()) / 86_400_000;
  assert.equal(Math.round(days), 14);

  await go(`/integrations/${team.integrationId}/tests`);
  await page.getByRole('button', { name: 'In quarantine' }).click();
  await page.waitForURL(/quarantined=true/);
  const row = page.getByRole('row').filter({ hasText: 'Waits for a clock' });
  await row.getByText(/^until /).waitFor();
  assert.match(await row.innerText(), /for 2d[^]*in quarantine/, 'it is flaky since then');
  const links = page.getByRole('table', { name: 'Tests' }).getByRole('link');
  await waitUntil('only the test in quarantine', async () => (await links.count()) === 1);
  await isFineInBothThemes(page);
  await row.getByRole('link', { name: 'ships' }).click();

  await page.getByRole('button', { name: 'End quarantine' }).click();
  await state.getByText(/Waits for a clock/).waitFor({ state: 'detached' });
  assert.deepEqual((await team.viewer.call('GET', path)).body, { items: [] });

  await go(`/integrations/${team.integrationId}/tests`);
  await page.getByRole('link', { name: 'pays' }).click();
  const refused = page.getByRole('button', { name: 'Quarantine…' });
  await refused.waitFor();
  assert.equal(await refused.getAttribute('aria-disabled'), 'true');
  assert.deepEqual(errors, []);
});

test('on a phone and with forced colours, the tests and a test are readable', async () => {
  const { page, go } = await openAs(product, team.viewer, { width: 390, height: 844 });
  await go(`/integrations/${team.integrationId}/tests`);
  await page.getByRole('link', { name: 'pays' }).waitFor();
  assert.equal(await sidewaysScroll(page), 0);
  await isFineInBothThemes(page);
  await page.getByRole('link', { name: 'pays' }).click();
  await page.getByText('has not passed there since').waitFor();
  assert.equal(await sidewaysScroll(page), 0);
  await isFineInBothThemes(page);
  await page.emulateMedia({ forcedColors: 'active' });
  const fills = await page.evaluate<number>(
    `new Set([...document.querySelectorAll('svg.history-strip rect')].map((one) => getComputedStyle(one).fill)).size`,
  );
  assert.ok(fills >= 2, 'failed days differ from others');
});

test('the overview names the test that broke main without a click, and its run shows the message', async () => {
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/overview`);
  const red = page.getByRole('table', { name: 'Needs attention' });
  const name = red.getByRole('link', { name: 'pays' });
  await name.waitFor();
  await isFineInBothThemes(page);
  await red.locator('a.row-link').click();
  const tests = page.getByRole('region', { name: 'Tests' });
  await tests.getByText('6 tests: 1 failed, 1 passed on a retry').waitFor();
  const broken = tests.getByRole('listitem').filter({ hasText: 'pays' });
  await broken.getByText('New on main').waitFor();
  await broken.getByText('expected 12 but got 13').waitFor();
  await isFineInBothThemes(page);
  await broken.getByRole('link', { name: 'pays' }).click();
  await hasFocus(page.getByRole('heading', { name: 'pays', level: 1 }));
  await page.getByRole('region', { name: 'Failure groups' }).getByRole('link').click();
  await page.getByRole('region', { name: 'Failed tests' }).getByRole('link', { name: 'pays' }).waitFor();
  await isFineInBothThemes(page);
  assert.deepEqual(errors, []);
});

test('the page of a pull request names its failed tests, and which of them are new on it', async () => {
  const sha = 'd'.repeat(40);
  const pull = { number: 7, title: 'Sort faster', head: { ref: 'sorting', sha }, base: { ref: 'main' } };
  const payload = pullRequestPayload(pull, { number: 7 });
  assert.equal((await postWebhook(product.baseUrl, team, { event: 'pull_request', payload })).status, 200);
  const { id } = await startRun(team, { branch: 'sorting', sha, pull_requests: [pull] });
  await upload(
    team,
    { run: id, suite: 'unit' },
    xml(failed('sorts', 'not sorted'), failed('pays'), passed('adds')),
  );
  const { page, errors, go } = await openAs(product, team.viewer, { width: 390, height: 844 });
  await go(`/integrations/${team.integrationId}/pull-requests/7`);
  await page.getByText('3 tests: 2 failed').waitFor();
  const tests = page.getByRole('list', { name: 'Failed and flaky tests' }).getByRole('listitem');
  await tests.filter({ hasText: 'sorts' }).getByText('New on this pull request').waitFor();
  await tests.filter({ hasText: 'sorts' }).getByText('not sorted').waitFor();
  await tests.filter({ hasText: 'pays' }).getByText('Broken on the default branch').waitFor();
  assert.equal(await sidewaysScroll(page), 0);
  await isFineInBothThemes(page);
  assert.deepEqual(errors, []);
});

test('flaky jobs are listed without a report, and their number opens the re-runs that it counts', async () => {
  const { id, sha } = await startRun(other, { branch: 'topic' });
  await startRun(other, { branch: 'topic', id, sha, attempt: 2 });
  for (const [attempt, conclusion] of ['failure', 'success'].entries()) {
    const at = Date.now() - (2 - attempt) * 600_000;
    const job = { id: id * 10 + attempt, run_id: id, run_attempt: attempt + 1, name: 'e2e', conclusion };
    const times = {
      started_at: new Date(at - 90_000).toISOString(),
      completed_at: new Date(at).toISOString(),
    };
    const payload = jobPayload({ ...job, status: 'completed', ...times });
    assert.equal((await postWebhook(product.baseUrl, other, { event: 'workflow_job', payload })).status, 200);
  }
  await waitUntil('both attempts to be stored', async () => {
    const { body } = await other.viewer.call('GET', other.path('/jobs?attempt=flip'));
    return body.items.length === 1;
  });
  const { page, errors, go } = await openAs(product, other.viewer);
  await go(`/integrations/${other.integrationId}/tests`);
  await page.getByRole('heading', { name: 'No failed tests' }).waitFor();
  await page.getByRole('button', { name: 'Flaky jobs' }).click();
  const row = page.getByRole('table', { name: 'Flaky jobs' }).getByRole('row').filter({ hasText: 'e2e' });
  await row.getByText('passed on re-run 1 of 1').waitFor();
  await row.getByText('1m 30s').waitFor();
  await isFineInBothThemes(page);
  await page.setViewportSize({ width: 390, height: 844 });
  assert.equal(await sidewaysScroll(page), 0);
  await row.getByRole('link', { name: '1 time' }).click();
  await page.getByText('1 job', { exact: true }).waitFor();
  assert.deepEqual(errors, []);
});

test('a rule about tests names the tests that it would have found, and so does the page of incidents', async () => {
  const { page, errors, go } = await openAs(product, team.member);
  await go(`/integrations/${team.integrationId}/rules/new`);
  await page.getByRole('button', { name: 'Notify nobody' }).click();
  await page.locator('summary').filter({ hasText: 'Advanced' }).click();
  await page.getByLabel('Watch for').selectOption('test_broken');
  const found = page.getByRole('region', { name: 'Last 30 days' });
  await found.getByText('1 incident would be open now.').waitFor();
  await found.getByRole('listitem').filter({ hasText: 'cart › pays' }).waitFor();
  await page.getByRole('button', { name: 'Create rule' }).click();
  await page.waitForURL(/\/rules$/);
  await go(`/integrations/${team.integrationId}/incidents`);
  const incident = page.getByRole('row').filter({ hasText: 'Broken on the default branch' });
  await incident.getByRole('link', { name: 'cart › pays', exact: true }).waitFor();
  await incident.getByRole('link', { name: 'Notify me about the test cart › pays' }).click();
  await page.getByText('When a test on').waitFor();
  assert.deepEqual(errors, []);
});
