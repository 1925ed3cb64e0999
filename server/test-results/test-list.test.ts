import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  testStates,
  type TestDetail,
  type TestFacets,
  type TestPage,
  type TestSummary,
} from '#contract/tests/tests.ts';
import { readOpenMetrics } from '#test/support/formats/open-metrics.ts';
import { integrationToken } from '#test/support/identity/token-client.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { failed, newRunId, passed, reportSender, xml } from '#test/support/team/test-reports.ts';
import { jobPayload, repositoryOf, runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const { newTeam, baseUrl } = product;
const { startRun, upload } = reportSender(product);

const hoursOfDay = 24;

const page = async (team: Team, query = ''): Promise<TestPage> =>
  (await team.viewer.call('GET', team.path(`/tests${query}`))).body as unknown as TestPage;
const list = async (team: Team, query = ''): Promise<TestSummary[]> => (await page(team, query)).items;
const names = async (team: Team, query = ''): Promise<string[]> =>
  (await list(team, query)).map(({ name }) => name);

async function every(team: Team, query: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { items, nextCursor }: TestPage = await page(team, `${query}${cursor && `&cursor=${cursor}`}`);
    found.push(...items.map(({ name }) => name));
    cursor = nextCursor;
  }
  return found;
}

/** A team with tests in all states. */
async function teamOfAllStates(): Promise<Team> {
  const team = await newTeam();
  const old = await startRun(team, { hoursAgo: 30 * hoursOfDay });
  await upload(team, { run: old.id }, xml(...['gone', 'broken', 'steady', 'shaky', 'dragging'].map(passed)));
  for (let n = 0; n < 10; n += 1) {
    const later = await startRun(team, { hoursAgo: 20 * hoursOfDay - n });
    await upload(team, { run: later.id }, xml(...['broken', 'steady', 'shaky', 'dragging'].map(passed)));
  }
  const first = await startRun(team, { hoursAgo: 2 });
  const body = (shaky: string) =>
    xml(failed('broken'), shaky, ...['steady', 'dragging', 'added'].map(passed));
  await upload(team, { run: first.id }, body(failed('shaky')));
  await startRun(team, { hoursAgo: 1, id: first.id, sha: first.sha, attempt: 2 });
  await upload(team, { run: first.id, attempt: 2 }, body(passed('shaky')));
  await product.database.asOwner(
    `update tests set slow_since = now(), slow_from_ms = 200, slow_ms = 900
     where integration_id = $1 and name = 'dragging'`,
    [team.integrationId],
  );
  return team;
}

test('each test is listed in one state, and the facets count the lists', async () => {
  const team = await teamOfAllStates();
  const expected: Record<string, string[]> = {
    broken: ['broken'],
    flaky: ['shaky'],
    slow: ['dragging'],
    new: ['added'],
    vanished: ['gone'],
    healthy: ['steady'],
  };
  const { body } = await team.viewer.call('GET', team.path('/tests/facets'));
  const { state, suite } = body as unknown as TestFacets;
  for (const each of testStates) {
    const items = await list(team, `?state=${each}`);
    assert.deepEqual(
      items.map((item) => [item.name, item.state]),
      expected[each]?.map((name) => [name, each]),
    );
    assert.equal(state.find(({ value }) => value === each)?.count, items.length, each);
  }
  assert.deepEqual(suite, [{ value: '', count: 6 }]);
  const scraped = await fetch(`${product.publicUrl}${team.path('/metrics.txt')}`, {
    headers: { authorization: `Bearer ${(await integrationToken(product, team, 'viewer')).token}` },
  });
  const [ofTests] = readOpenMetrics(await scraped.text()).filter(({ name }) => name === 'forgewatch_tests');
  assert.deepEqual(
    ofTests?.samples.map(({ labels, value }) => [labels['forgewatch_test_state'], value]),
    [
      ['broken', 1],
      ['flaky', 1],
    ],
  );
  const filtered = await team.viewer.call('GET', team.path('/tests/facets?state=broken&q=shaky'));
  const counts = filtered.body as unknown as TestFacets;
  assert.deepEqual([counts.state, counts.suite], [[{ value: 'flaky', count: 1 }], []]);
});

test('a flaky test is flaky since its first flake after 14 days without one, in any order of arrival', async () => {
  const flake = '<testcase name="a" time="2"><flakyFailure message="timeout"/></testcase>';
  for (const days of [
    [40, 12, 3, 1],
    [1, 40, 3, 12],
    [3, 12, 1, 40],
  ]) {
    const team = await newTeam();
    const startedAt = new Map<number, string>();
    for (const ago of days) {
      const { id } = await startRun(team, { hoursAgo: ago * hoursOfDay });
      const { body } = await team.viewer.call('GET', team.path(`/workflows/${id}`));
      startedAt.set(ago, String((body['run'] as { startedAt: string }).startedAt));
      await upload(team, { run: id }, xml(flake));
    }
    const [a] = await list(team);
    assert.deepEqual(
      [a?.state, a?.since, a?.lastFlakyAt],
      ['flaky', startedAt.get(12), startedAt.get(1)],
      days.join(),
    );
  }
});

test('a test says how many of its retried failures passed, and on how many other branches it fails', async () => {
  const team = await newTeam();
  for (const [n, second] of [passed('a'), failed('a'), passed('a')].entries()) {
    const first = await startRun(team, { branch: `feature-${n}`, hoursAgo: 3 });
    await upload(team, { run: first.id }, xml(failed('a')));
    await startRun(team, { branch: `feature-${n}`, id: first.id, sha: first.sha, attempt: 2, hoursAgo: 2 });
    await upload(team, { run: first.id, attempt: 2 }, xml(second));
  }
  const alone = await startRun(team, { branch: 'other' });
  await upload(team, { run: alone.id }, xml(failed('a')));
  const [a] = await list(team);
  assert.deepEqual([a?.retried, a?.passedRetries, a?.otherBranches], [3, 2, 2]);
});

test('a failure that passed on a re-run costs its share of the failed job', async () => {
  const team = await newTeam();
  const run = await startRun(team, { branch: 'feature', hoursAgo: 3 });
  const startedAt = Date.now() - 3 * 3_600_000;
  const job = jobPayload({
    id: 77,
    run_id: run.id,
    name: 'unit',
    status: 'completed',
    conclusion: 'failure',
    started_at: new Date(startedAt).toISOString(),
    completed_at: new Date(startedAt + 600_000).toISOString(),
  });
  assert.equal((await postWebhook(baseUrl, team, { event: 'workflow_job', payload: job })).status, 200);
  await waitUntil('the job to be stored', async () => {
    const { body } = await team.viewer.call('GET', team.path(`/workflows/${run.id}`));
    return (body['jobs'] as unknown[]).length === 1;
  });
  await upload(team, { run: run.id }, xml(failed('a'), failed('b')));
  await startRun(team, { branch: 'feature', id: run.id, sha: run.sha, attempt: 2, hoursAgo: 1 });
  await upload(team, { run: run.id, attempt: 2 }, xml(passed('a'), failed('b')));
  const lost = new Map((await list(team)).map(({ name, lostMs }) => [name, lostMs]));
  assert.deepEqual([lost.get('a'), lost.get('b')], [300_000, 0]);
});

test('lists by sums are read page by page, and have only the tests that have a sum', async () => {
  const team = await newTeam();
  for (let n = 0; n < 4; n += 1) {
    const { id } = await startRun(team, { branch: 'feature', hoursAgo: n });
    const cases = Array.from({ length: 7 }, (_, at) => (at > n ? failed(`t${at}`) : passed(`t${at}`)));
    await upload(
      team,
      { run: id },
      xml(...cases, ...Array.from({ length: 20 }, (_, at) => passed(`ok${at}`))),
    );
  }
  const all = await every(team, '?sort=failures&limit=2');
  assert.deepEqual([...all].sort(), ['t1', 't2', 't3', 't4', 't5', 't6']);
  assert.deepEqual(all.slice(-3), ['t3', 't2', 't1']);
  assert.deepEqual(await names(team, '?sort=lost'), []);
  assert.equal((await every(team, '?sort=duration&limit=5')).length, 24, 'those that passed');
  assert.deepEqual(await names(team, '?sort=duration&q=ok7'), ['ok7']);
});

test('words find names in any letter case, also those that are not of ASCII', async () => {
  const team = await newTeam();
  const { id } = await startRun(team, { branch: 'feature' });
  await upload(team, { run: id }, xml(passed('Übertrag IN ΑΘΗΝΑ'), passed('others')));
  assert.deepEqual(await names(team, `?q=${encodeURIComponent('ÜBERTRAG αθηνα')}`), ['Übertrag IN ΑΘΗΝΑ']);
});

test('the page of a test groups failures by message and names the first one since it is broken', async () => {
  const team = await newTeam();
  const runs = [];
  for (const [n, message] of ['port 4001', 'port 4002', 'no disk'].entries()) {
    const run = await startRun(team, {
      hoursAgo: 9 - n,
      run_number: n + 1,
      branch: n === 1 ? 'topic' : 'main',
      html_url: `https://forge.example.com/acme/site/actions/runs/${n + 1}`,
    });
    await upload(team, { run: run.id }, xml(failed('a', message), passed('b')));
    runs.push(run.id);
  }
  const [a] = await list(team);
  const { body } = await team.viewer.call('GET', team.path(`/tests/${a?.testId}`));
  const { messages, firstFailure, recentFailures } = body as unknown as TestDetail;
  assert.deepEqual(
    messages.map(({ message, failures, branches, newest }) => [
      message,
      failures,
      branches,
      newest.runNumber,
    ]),
    [
      ['no disk', 1, ['main'], 3],
      ['port 4002', 2, ['topic', 'main'], 2],
    ],
  );
  assert.equal(messages[1]?.trace, 'at cart.ts:1');
  assert.deepEqual([firstFailure?.runId, firstFailure?.runNumber], [runs[0], 1]);
  assert.deepEqual(
    recentFailures.map(({ runNumber, onDefaultBranch }) => [runNumber, onDefaultBranch]),
    [
      [3, true],
      [2, false],
      [1, true],
    ],
  );
});

test('commits of tests lead to the forge of their runs when two forges have a repository of one name', async () => {
  const team = await newTeam();
  const forges = ['https://git.example.com', 'https://code.example.org'];
  const id = newRunId();
  for (const forge of forges) {
    const html_url = `${forge}/acme/site`;
    const run = { id, status: 'in_progress', head_branch: 'main', html_url: `${html_url}/actions/runs/1` };
    const payload = { ...runPayload(run), repository: { ...repositoryOf('acme/site'), html_url } };
    assert.equal((await postWebhook(baseUrl, team, { event: 'workflow_run', payload })).status, 200);
  }
  await waitUntil('the runs to be stored', async () => {
    const { body } = await team.viewer.call('GET', team.path('/workflows'));
    return (body['items'] as unknown[]).length === 2;
  });
  for (const forge of forges)
    assert.equal((await upload(team, { run: id, forge }, xml(failed(forge)))).status, 201);
  for (const { testId, name } of await list(team)) {
    const { body } = await team.viewer.call('GET', team.path(`/tests/${testId}`));
    const { firstFailure, recentFailures, messages } = body as unknown as TestDetail;
    const runs = [firstFailure, ...recentFailures, ...messages.map(({ newest }) => newest)];
    assert.deepEqual(
      runs.map((run) => run?.repositoryUrl),
      Array.from({ length: 3 }, () => `${name}/acme/site`),
    );
  }
});
