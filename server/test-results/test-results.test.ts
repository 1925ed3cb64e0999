import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { RunTests, TestDetail, TestPage, TestReportReceipt } from '#contract/tests/tests.ts';
import type { WorkflowRunDetail } from '#contract/runs/runs.ts';
import { jobPayload, repositoryOf, runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { integrationToken, personalToken } from '#test/support/identity/token-client.ts';
import { refused, startTeamProduct, type Team } from '#test/support/team/team.ts';
import {
  failed,
  newRunId,
  passed,
  reportSender,
  xml,
  type ReportedRun,
} from '#test/support/team/test-reports.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const { newTeam } = product;
const { startRun, upload } = reportSender(product);

const list = async (team: Team, query = ''): Promise<TestPage['items']> =>
  ((await team.viewer.call('GET', team.path(`/tests${query}`))).body as unknown as TestPage).items;
const states = async (team: Team, query = ''): Promise<string[]> =>
  (await list(team, query)).map(({ name, state }) => `${name} ${state}`).sort();

test('a report of a known run is stored, and its tests are counted', async () => {
  const team = await newTeam();
  const { id } = await startRun(team);
  const report = readFileSync(new URL('../../test/vectors/test-reports/surefire.xml', import.meta.url));
  const answer = await upload(team, { run: id }, gzipSync(report));
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const receipt = answer.body as unknown as TestReportReceipt;
  assert.deepEqual(
    [receipt.status, receipt.format, receipt.tests, receipt.failed, receipt.skipped, receipt.flaky],
    ['stored', 'junit', 7, 3, 1, 1],
  );
  assert.deepEqual(await states(team), [
    'discountOnce broken',
    'error broken',
    'payment flaky',
    'price(String)[2] broken',
  ]);

  const { body } = await team.viewer.call('GET', team.path(`/workflows/${id}/tests`));
  const ofRun = body as unknown as RunTests;
  assert.equal(ofRun.reports.length, 1);
  assert.deepEqual(ofRun.tests.map(({ name, isFlaky }) => [name, isFlaky]).toSorted(), [
    ['discountOnce', false],
    ['error', false],
    ['payment', true],
    ['price(String)[2]', false],
  ]);
  assert.match(
    ofRun.tests.find(({ name }) => name === 'discountOnce')?.message ?? '',
    /discount was applied twice/,
  );
});

test('a report that is sent twice is counted once', async () => {
  const team = await newTeam();
  const { id } = await startRun(team);
  const report = xml(passed('a'), failed('b'));
  const first = (await upload(team, { run: id }, report)).body as unknown as TestReportReceipt;
  // Also if it is packed the second time.
  const second = (await upload(team, { run: id }, gzipSync(report))).body as unknown as TestReportReceipt;
  assert.deepEqual([first.status, second.status, second.reportId], ['stored', 'known', first.reportId]);
  const [b] = await list(team);
  assert.deepEqual([b?.name, b?.failures], ['b', 1]);
  // The same bytes of another leg are other results.
  await upload(team, { run: id, job: 'unit on windows' }, report);
  assert.equal((await list(team))[0]?.failures, 2);
});

test('a report may arrive before its run', async () => {
  const team = await newTeam();
  const run = newRunId();
  const answer = await upload(team, { run }, xml(passed('a'), failed('early')));
  assert.deepEqual([answer.status, answer.body['status']], [201, 'waiting']);
  assert.deepEqual(await list(team), []);
  await startRun(team, { id: run });
  await waitUntil('the report to be stored', async () => (await list(team)).length === 1);
  assert.deepEqual(await states(team), ['early broken']);
});

const reportsOf = async (team: Team, run: number, attempt: number): Promise<RunTests['reports']> => {
  const { body } = await team.viewer.call('GET', team.path(`/workflows/${run}/tests?attempt=${attempt}`));
  return (body as unknown as RunTests).reports;
};

test('a report may arrive before its attempt, and is dropped if no such attempt begins within a day', async () => {
  const team = await newTeam();
  const { id, sha } = await startRun(team);
  const early = await upload(team, { run: id, attempt: 2 }, xml(passed('a'), failed('early')));
  const never = await upload(team, { run: id, attempt: 9 }, xml(failed('never')));
  assert.deepEqual([early.body['status'], never.body['status']], ['waiting', 'waiting']);
  await startRun(team, { id, sha, attempt: 2 });
  await waitUntil('the report to be stored', async () => (await reportsOf(team, id, 2)).length === 1);
  assert.deepEqual(await states(team), ['early broken']);
  // The first attempt is over, but known.
  assert.equal((await upload(team, { run: id }, xml(passed('a')))).body['status'], 'stored');
  await product.database.asOwner(
    `update test_reports set received_at = now() - interval '25 hours' where integration_id = $1 and attempt = 9`,
    [team.integrationId],
  );
  const dropped = await waitUntil('the report to be dropped', async () =>
    (await product.entries(team.integrationId)).find(({ type }) => type === 'test_report.dropped'),
  );
  assert.match(dropped.title, new RegExp(`attempt 9 of the run ${id} was dropped`));
  assert.deepEqual(await states(team), ['early broken']);
});

test('of runs with one id at two forges each gets its own reports', async () => {
  const team = await newTeam();
  const id = newRunId();
  const forges = ['https://git.example.com', 'https://code.example.org'];
  for (const [n, forge] of forges.entries()) {
    const site = { ...repositoryOf(`acme/part-${n}`), html_url: `${forge}/acme/part-${n}` };
    const payload = { ...runPayload({ id, status: 'in_progress', head_branch: 'main' }), repository: site };
    assert.equal((await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload })).status, 200);
    await waitUntil('the run to be stored', async () => {
      const { body } = await team.viewer.call('GET', team.path(`/workflows?repository=acme/part-${n}`));
      return (body['items'] as unknown[]).length === 1;
    });
  }
  for (const [n, forge] of forges.entries()) {
    const answer = await upload(team, { run: id, forge }, xml(failed(`of part ${n}`)));
    assert.deepEqual([answer.status, answer.body['status']], [201, 'stored'], JSON.stringify(answer.body));
  }
  const found = (await list(team)).map(({ name, repository }) => `${name} in ${repository}`);
  assert.deepEqual(found.toSorted(), ['of part 0 in acme/part-0', 'of part 1 in acme/part-1']);
  refused(await upload(team, { run: id, forge: 'https://other.example' }, xml()), 404, 'run_unknown');
  refused(await upload(team, { run: id, forge: 'git' }, xml()), 400, 'invalid_request');
});

test('without events of runs the jobs of an attempt make it known', async () => {
  const team = await newTeam();
  const { id } = await startRun(team);
  const payload = jobPayload({ id: id + 1, run_id: id, run_attempt: 2, name: 'unit', status: 'in_progress' });
  assert.equal((await upload(team, { run: id, attempt: 2 }, xml(failed('a')))).body['status'], 'waiting');
  assert.equal((await postWebhook(product.baseUrl, team, { event: 'workflow_job', payload })).status, 200);
  await waitUntil('the report to be stored', async () => (await reportsOf(team, id, 2)).length === 1);
});

test('a test is broken from its first failure on the default branch until it passes there, in any order of arrival', async () => {
  const team = await newTeam();
  const runs = [];
  for (const hoursAgo of [5, 4, 3, 2, 1]) runs.push(await startRun(team, { hoursAgo }));
  const [first, second, third, fourth, fifth] = runs as [
    ReportedRun,
    ReportedRun,
    ReportedRun,
    ReportedRun,
    ReportedRun,
  ];
  await upload(team, { run: third.id }, xml(failed('a'), failed('b')));
  await upload(team, { run: first.id }, xml(passed('a'), passed('b')));
  await upload(team, { run: second.id }, xml(failed('a'), passed('b')));
  const since = new Map((await list(team)).map((each) => [each.name, each.since]));
  const startOf = async (run: ReportedRun): Promise<string | null> => {
    const { body } = await team.viewer.call('GET', team.path(`/workflows/${run.id}`));
    return (body as unknown as WorkflowRunDetail).run.startedAt;
  };
  assert.equal(since.get('a'), await startOf(second));
  assert.equal(since.get('b'), await startOf(third));
  await upload(team, { run: fifth.id }, xml(passed('a'), passed('b')));
  await upload(team, { run: fourth.id }, xml(failed('a'), failed('b')));
  assert.deepEqual(await states(team), ['a new', 'b new']);
});

test('a failure on another branch breaks nothing', async () => {
  const team = await newTeam();
  const { id } = await startRun(team, { branch: 'feature' });
  await upload(team, { run: id }, xml(failed('a')));
  assert.deepEqual(await states(team), ['a healthy']);
});

for (const order of [
  [1, 2],
  [2, 1],
])
  test(`a test that fails and passes on one commit is flaky when the reports arrive in the order ${order.join(', ')}`, async () => {
    const team = await newTeam();
    const first = await startRun(team, { branch: 'feature' });
    await startRun(team, { branch: 'feature', id: first.id, sha: first.sha, attempt: 2 });
    const reports: Record<number, string> = {
      1: xml(failed('a'), failed('b')),
      2: xml(passed('a'), failed('b')),
    };
    for (const attempt of order) await upload(team, { run: first.id, attempt }, reports[attempt]!);
    assert.deepEqual(await states(team), ['a flaky', 'b healthy']);
    const [a] = await list(team, '?state=flaky');
    assert.deepEqual([a?.failures, a?.passes, a?.flakes], [1, 1, 1]);
  });

test('a job that reports by its id is one leg in all attempts', async () => {
  const team = await newTeam();
  const first = await startRun(team, { branch: 'feature' });
  await startRun(team, { branch: 'feature', id: first.id, sha: first.sha, attempt: 2 });
  for (const [attempt, report] of [
    [1, xml(failed('a'))],
    [2, xml(passed('a'))],
  ] as const) {
    const job = { id: first.id * 10 + attempt, run_id: first.id, run_attempt: attempt, name: 'unit (22)' };
    await postWebhook(product.baseUrl, team, { event: 'workflow_job', payload: jobPayload(job) });
    await waitUntil('the job to be stored', async () => {
      const path = team.path(`/workflows/${first.id}?attempt=${attempt}`);
      const { jobs } = (await team.viewer.call('GET', path)).body as unknown as WorkflowRunDetail;
      return jobs.some(({ jobId }) => jobId === job.id);
    });
    await upload(team, { run: first.id, attempt, job: String(job.id) }, report);
  }
  assert.deepEqual(await states(team), ['a flaky']);
});

test('a report of one test of a large suite changes only its state', async () => {
  const team = await newTeam();
  const run = await startRun(team, { hoursAgo: 5 });
  const names = Array.from({ length: 40 }, (_, n) => `test ${n}`);
  const isFailed = (name: string): boolean => ['test 7', 'test 20', 'test 33'].includes(name);
  await upload(team, { run: run.id }, xml(...names.map((name) => (isFailed(name) ? failed : passed)(name))));
  await startRun(team, { ...run, hoursAgo: 5, attempt: 2 });
  await upload(team, { run: run.id, attempt: 2 }, xml(passed('test 20')));
  assert.deepEqual(await states(team), ['test 20 flaky', 'test 33 broken', 'test 7 broken']);
});

test('another commit, leg or suite is no evidence of a flake', async () => {
  const team = await newTeam();
  const one = await startRun(team, { branch: 'feature' });
  const other = await startRun(team, { branch: 'feature' });
  await upload(team, { run: one.id }, xml(failed('a')));
  await upload(team, { run: other.id }, xml(passed('a')));
  await upload(team, { run: one.id, job: 'windows' }, xml(passed('a')));
  await upload(team, { run: one.id, suite: 'e2e' }, xml(passed('a')));
  assert.deepEqual(await states(team, '?state=flaky'), []);
});

test('a test that flips on the default branch is flaky as soon as it passes', async () => {
  const team = await newTeam();
  for (const [n, outcome] of ['p', 'f', 'p', 'f', 'p', 'f', 'p'].entries()) {
    const { id } = await startRun(team, { hoursAgo: 20 - n });
    await upload(team, { run: id }, xml(outcome === 'p' ? passed('a') : failed('a')));
  }
  assert.deepEqual(await states(team), ['a flaky']);
});

test('an attempt in which most tests fail says nothing about them', async () => {
  const team = await newTeam();
  const { id } = await startRun(team);
  const names = Array.from({ length: 30 }, (_, n) => `t${n}`);
  await upload(team, { run: id }, xml(...names.map((name, n) => (n < 16 ? failed(name) : passed(name)))));
  assert.deepEqual(await states(team), []);
  const ofRun = (await team.viewer.call('GET', team.path(`/workflows/${id}/tests`)))
    .body as unknown as RunTests;
  assert.deepEqual([ofRun.reports[0]?.isMassFailure, ofRun.tests.length], [true, 16]);
});

test('a suite in which most tests fail says nothing about them beside a large green one', async () => {
  const team = await newTeam();
  const { id } = await startRun(team);
  const part = (of: (name: string) => string, from: number, count: number): string =>
    xml(...Array.from({ length: count }, (_, n) => of(`t${from + n}`)));
  const flags = async () => {
    const { body } = await team.viewer.call('GET', team.path(`/workflows/${id}/tests`));
    return (body as unknown as RunTests).reports
      .map(({ suite, job, isMassFailure }) => `${suite} ${job} ${isMassFailure}`)
      .toSorted();
  };
  await upload(team, { run: id, suite: 'unit' }, xml(part(passed, 0, 200), failed('alone')));
  await upload(team, { run: id, suite: 'e2e', job: 'chromium' }, part(failed, 0, 15));
  assert.equal((await states(team, '?state=broken')).length, 16);
  await upload(team, { run: id, suite: 'e2e', job: 'firefox' }, part(failed, 0, 15));
  assert.deepEqual(await flags(), ['e2e chromium true', 'e2e firefox true', 'unit unit false']);
  assert.deepEqual(await states(team, '?state=broken'), ['alone broken']);
  await upload(team, { run: id, suite: 'e2e', job: 'webkit' }, part(passed, 20, 40));
  assert.equal((await states(team, '?state=broken')).length, 16);
});

test('a report waits for the event of the job whose id it names', async () => {
  const team = await newTeam();
  const { id } = await startRun(team);
  const sendJob = async (jobId: number, name: string) => {
    const payload = jobPayload({ id: jobId, run_id: id, name, status: 'in_progress', conclusion: null });
    assert.equal((await postWebhook(product.baseUrl, team, { event: 'workflow_job', payload })).status, 200);
  };
  const reportsOf = async () =>
    ((await team.viewer.call('GET', team.path(`/workflows/${id}/tests`))).body as unknown as RunTests)
      .reports;
  const own = 4_000_000_000 + id;
  const early = await upload(team, { run: id, job: String(own) }, xml(passed('a')));
  assert.equal(early.body['status'], 'stored', 'no job of the run is known');
  await sendJob(own + 1, 'lint');
  await waitUntil('the other job', async () => {
    const { body } = await team.viewer.call('GET', team.path(`/workflows/${id}`));
    return (body['jobs'] as unknown[]).length === 1;
  });
  const { body } = await upload(team, { run: id, job: String(own) }, xml(failed('a')));
  assert.equal(body['status'], 'waiting');
  await sendJob(own, 'unit');
  const stored = await waitUntil('the report', async () =>
    (await reportsOf()).find(({ job }) => job === 'unit'),
  );
  assert.deepEqual([stored.jobId, stored.failed], [own, 1]);
});

test('the reports of an attempt are judged together', async () => {
  const team = await newTeam();
  const { id } = await startRun(team);
  const part = (letter: string, of: (name: string) => string, count: number): string =>
    xml(...Array.from({ length: count }, (_, n) => of(`${letter}${n}`)));
  const flags = async () => {
    const { body } = await team.viewer.call('GET', team.path(`/workflows/${id}/tests`));
    return (body as unknown as RunTests).reports.map(({ isMassFailure }) => isMassFailure);
  };
  await upload(team, { run: id, job: 'a' }, part('a', failed, 15));
  assert.equal((await states(team, '?state=broken')).length, 15);
  await upload(team, { run: id, job: 'b' }, part('b', failed, 15));
  assert.deepEqual([await states(team), await flags()], [[], [true, true]]);
  await upload(team, { run: id, job: 'c' }, part('c', passed, 40));
  assert.equal((await states(team, '?state=broken')).length, 30);
  assert.deepEqual(await flags(), [false, false, false]);
  assert.equal((await list(team, '?q=a14'))[0]?.failures, 1);
});

test('a test that its suite runs without has vanished', async () => {
  const team = await newTeam();
  const { id } = await startRun(team, { hoursAgo: 30 * 24 });
  await upload(team, { run: id }, xml(passed('gone'), passed('stays')));
  const later = await startRun(team, { hoursAgo: 20 * 24 });
  // The jobs of one run do not count as runs.
  for (let n = 0; n < 10; n += 1)
    await upload(team, { run: later.id, job: `part ${n}` }, xml(passed('stays')));
  assert.deepEqual(await states(team, '?state=vanished'), []);
  for (let n = 1; n < 10; n += 1) {
    const { id: next } = await startRun(team, { hoursAgo: 20 * 24 - n });
    await upload(team, { run: next }, xml(passed('stays')));
  }
  assert.deepEqual(await states(team, '?state=vanished'), ['gone vanished']);
  assert.deepEqual(await states(team, '?q=stays'), ['stays healthy']);
});

test('the page of a test shows its days and its failures, without secrets', async () => {
  const team = await newTeam();
  const { id, sha } = await startRun(team);
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  await upload(team, { run: id }, xml(failed(`a with ${secret}`, `expected ${secret}`)));
  const [listed] = await list(team);
  assert.equal(listed?.name, 'a with ***');
  const { body } = await team.viewer.call('GET', team.path(`/tests/${listed?.testId}`));
  const { days, recentFailures } = body as unknown as TestDetail;
  assert.deepEqual(
    days.map(({ failures, onDefaultBranch }) => [failures, onDefaultBranch]),
    [[1, true]],
  );
  assert.deepEqual(
    recentFailures.map(({ runId, headSha, message }) => [runId, headSha, message]),
    [[id, sha, 'expected ***']],
  );
});

test('lists are found by words, sorted by sums, and read page by page', async () => {
  const team = await newTeam();
  const { id } = await startRun(team, { branch: 'feature' });
  const names = Array.from({ length: 7 }, (_, n) => `cart ${n}`);
  await upload(
    team,
    { run: id },
    xml(...names.map((name) => failed(name)), ...Array.from({ length: 20 }, (_, n) => passed(`ok ${n}`))),
  );
  await upload(team, { run: id, job: 'again' }, xml(failed('cart 3')));
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body } = await team.viewer.call(
      'GET',
      team.path(`/tests?limit=3${cursor && `&cursor=${cursor}`}`),
    );
    const page = body as unknown as TestPage;
    seen.push(...page.items.map(({ name }) => name));
    cursor = page.nextCursor;
  }
  assert.deepEqual(seen.toSorted(), names);
  assert.equal((await list(team, '?sort=failures'))[0]?.name, 'cart 3');
  assert.equal((await list(team, '?q=OK%2012')).length, 1);
  assert.equal((await list(team, '?q=none')).length, 0);
});

test('a report that cannot be read is refused and changes nothing', async () => {
  const team = await newTeam();
  const { id } = await startRun(team);
  refused(await upload(team, { run: id }, 'no report'), 400, 'report_unreadable');
  refused(
    await upload(team, { run: id }, gzipSync(Buffer.alloc(31 * 1024 * 1024, 32))),
    413,
    'report_too_large',
  );
  refused(await upload(team, { run: id }, ''), 400, 'report_unreadable');
  const { body } = await team.viewer.call('GET', team.path(`/workflows/${id}/tests`));
  assert.deepEqual((body as unknown as RunTests).reports, []);
});

test('a token for reports can do nothing else, and others need their scope', async () => {
  const team = await newTeam();
  const { id } = await startRun(team);
  const reports = await integrationToken(product, team, 'reports');
  for (const path of ['', '/workflows', '/tests', `/workflows/${id}/tests`])
    refused(await reports.call('GET', team.path(path)), 403, 'insufficient_scope');
  refused(await reports.call('PATCH', team.path(), { label: 'Mine' }), 403, 'insufficient_scope');
  refused(await reports.call('GET', '/api/auth/ws-token'), 403, 'insufficient_scope');
  const reader = await personalToken(product, team.member, { scopes: ['read'] });
  refused(await upload(team, { run: id }, xml(passed('a')), reader), 403, 'insufficient_scope');
  const viewer = await personalToken(product, team.viewer, { scopes: ['reports'] });
  refused(await upload(team, { run: id }, xml(passed('a')), viewer), 403, 'insufficient_role');
  const foreign = await integrationToken(product, await newTeam(), 'reports');
  refused(await upload(team, { run: id }, xml(passed('a')), foreign), 403, 'insufficient_role');
  const member = await personalToken(product, team.member, { scopes: ['reports'] });
  assert.equal((await upload(team, { run: id }, xml(passed('a')), member)).status, 201);
});
