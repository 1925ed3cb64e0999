import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zipOf } from '#server/simulate/sample-forge/sample-artifacts.ts';
import type { LogEntry } from '#contract/deliveries/event-log.ts';
import type { FailureGroup } from '#contract/failures/failures.ts';
import type { RunTests, TestDetail, TestReportReceipt } from '#contract/tests/tests.ts';
import {
  newRepository,
  newRun,
  type ForgeRepositoryState,
  type TestArtifact,
} from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import { untilEvaluated } from '#test/support/alerts/pending-evaluations.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { serve } from '#test/support/network/serve.ts';
import { failed, passed, reportSender, xml } from '#test/support/team/test-reports.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const storage: { authorization: string | undefined; bytes: Buffer } = {
  authorization: undefined,
  bytes: Buffer.alloc(0),
};
const store = await serve(({ headers }, response) => {
  storage.authorization = headers.authorization ?? 'none';
  response.end(storage.bytes);
});
const linked = await startLinkedProduct({
  ALERT_ALLOWED_NETWORKS: '127.0.0.0/8',
  ALERT_ALLOWED_PORTS: `443,${store.port}`,
});
const { forge, product, newLinkedTeam } = linked;
const { database } = product;
const { upload } = reportSender(product);
type LinkedTeam = Awaited<ReturnType<typeof newLinkedTeam>>;

const report = (...cases: string[]): Buffer =>
  zipOf([{ name: 'reports/junit.xml', content: Buffer.from(xml(...cases)) }]);

let ids = 9_000;
let names = 0;

async function newRepositoryTeam() {
  const repository = newRepository(`octo-org/shop-${(names += 1)}`);
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  return { repository, team };
}
type Place = Awaited<ReturnType<typeof newRepositoryTeam>>;

/** A run of some minutes ago, with artifacts that its attempts made. */
function runWith(
  repository: ForgeRepositoryState,
  artifacts: readonly (Partial<TestArtifact> & { name: string; attempt?: number })[],
  attempts = 1,
) {
  const startedAt = Date.now() - 3_600_000;
  const run = newRun(repository, new Date(startedAt), { attempts });
  for (const { attempt = 1, ...artifact } of artifacts)
    repository.artifacts.push({
      id: (ids += 1),
      runId: run.id,
      bytes: report(passed('adds')),
      createdAt: new Date(startedAt + attempt * 100_000 + 30_000),
      ...artifact,
    });
  repository.runs = [run, ...repository.runs];
  return run;
}

async function complete({ team, repository }: Place, run: ReturnType<typeof runWith>, attempt = 1) {
  const place = { id: repository.id, full_name: repository.name, default_branch: 'main' };
  const payload = { action: 'completed', workflow_run: run.attempts[attempt - 1], repository: place };
  assert.equal((await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload })).status, 200);
}

async function untilLookedAt(team: LinkedTeam, runId: number, attempt = 1): Promise<void> {
  await waitUntil('the artifacts to be looked at', async () => {
    const [check] = await database.asOwner<{ over: boolean }>(
      `select due_at is null as over from artifact_checks where integration_id = $1 and run_id = $2 and attempt = $3`,
      [team.integrationId, runId, attempt],
    );
    return check?.over === true;
  });
}

async function testsOf(team: LinkedTeam, runId: number, attempt = 1): Promise<RunTests> {
  const path = team.path(`/workflows/${runId}/tests?attempt=${attempt}`);
  return (await team.viewer.call('GET', path)).body as unknown as RunTests;
}

async function droppedOf(team: LinkedTeam): Promise<LogEntry[]> {
  const { body } = await team.viewer.call('GET', team.path('/event-log?type=test_report.dropped'));
  return body['items'] as LogEntry[];
}

const downloads = (id: number) =>
  forge.calls.filter((call) => call.endsWith(`/actions/artifacts/${id}/zip`)).length;

test('an artifact whose name matches is read once when its attempt completes', async () => {
  const place = await newRepositoryTeam();
  const run = runWith(place.repository, [
    { name: 'JUnit-linux', bytes: report(passed('adds'), failed('removes', 'two left')) },
    { name: 'coverage' },
    { name: 'old-test-results', said: { expired: true } },
    { name: 'other-test-results', said: { workflow_run: { id: 1 } } },
  ]);
  await complete(place, run);
  await untilLookedAt(place.team, run.id);
  const { reports, tests } = await testsOf(place.team, run.id);
  assert.deepEqual(
    reports.map(({ job, tests: count, failed: bad }) => [job, count, bad]),
    [['JUnit-linux', 2, 1]],
  );
  assert.deepEqual(
    tests.map(({ name, message }) => [name, message]),
    [['removes', 'two left']],
  );
  await complete(place, run);
  await complete(place, run);
  await waitUntil('the deliveries', async () => {
    const { body } = await place.team.viewer.call('GET', place.team.path('/deliveries?limit=10'));
    return (body['items'] as unknown[]).length >= 3;
  });
  assert.deepEqual(
    place.repository.artifacts.map(({ id }) => downloads(id)),
    [1, 0, 0, 0],
  );
  assert.deepEqual(await droppedOf(place.team), []);
});

test('a merged artifact beside its parts counts once, and a leg with other times for itself', async () => {
  const place = await newRepositoryTeam();
  const casesOf = (part: number, addedMs = 0) =>
    Array.from(
      { length: 12 },
      (_, n) => `<testcase name="test ${part}.${n}" time="${((n + 1) * 17 + addedMs) / 1000}"/>`,
    );
  const flaky = '<testcase name="pays" time="1.5"><flakyFailure/></testcase>';
  const bytes = {
    one: report(...casesOf(1), flaky),
    two: report(...casesOf(2), failed('removes')),
    both: report(...casesOf(2), failed('removes'), ...casesOf(1), flaky),
    windows: report(...casesOf(1, 3), flaky),
  };
  const startedAt = Date.now() - 3_600_000;
  // A forge lists the newest first.
  const run = runWith(
    place.repository,
    (['both', 'windows', 'two', 'one'] as const).map((name, n) => ({
      name: `junit-${name}`,
      bytes: bytes[name],
      createdAt: new Date(startedAt + 200_000 - n * 10_000),
    })),
  );
  await complete(place, run);
  await untilLookedAt(place.team, run.id);
  const { reports, tests } = await testsOf(place.team, run.id);
  assert.deepEqual(reports.map(({ job, tests: count }) => [job, count]).toSorted(), [
    ['junit-one', 13],
    ['junit-two', 13],
    ['junit-windows', 13],
  ]);
  assert.deepEqual(tests.map(({ name }) => name).toSorted(), ['pays', 'pays', 'removes']);
  assert.deepEqual(await droppedOf(place.team), []);
});

test('each attempt has the artifacts of its own time, also if they have equal names', async () => {
  const place = await newRepositoryTeam();
  const run = runWith(
    place.repository,
    [
      { name: 'junit', bytes: report(failed('pays')) },
      { name: 'junit', attempt: 2, bytes: report(passed('pays')) },
    ],
    2,
  );
  await complete(place, run, 1);
  await untilLookedAt(place.team, run.id, 1);
  await complete(place, run, 2);
  await untilLookedAt(place.team, run.id, 2);
  for (const [attempt, bad] of [
    [1, 1],
    [2, 0],
  ] as const) {
    const { reports } = await testsOf(place.team, run.id, attempt);
    assert.deepEqual(
      reports.map(({ tests, failed: count }) => [tests, count]),
      [[1, bad]],
    );
  }
  const { body } = await place.team.viewer.call('GET', place.team.path('/tests?state=flaky'));
  assert.deepEqual(
    (body['items'] as { name: string }[]).map(({ name }) => name),
    ['pays'],
  );
});

test('artifacts of an attempt with uploaded reports are left alone', async () => {
  const place = await newRepositoryTeam();
  const run = runWith(place.repository, [{ name: 'junit' }]);
  assert.equal((await upload(place.team, { run: run.id }, xml(passed('adds')))).status, 201);
  await complete(place, run);
  await untilLookedAt(place.team, run.id);
  assert.equal(downloads(place.repository.artifacts[0]!.id), 0);
});

test('an upload after the artifacts of its attempt were read is left out and counts nothing twice', async () => {
  const place = await newRepositoryTeam();
  const run = runWith(place.repository, [{ name: 'junit', bytes: report(passed('adds'), failed('pays')) }]);
  await complete(place, run);
  await untilLookedAt(place.team, run.id);
  const before = await testsOf(place.team, run.id);
  const answer = await upload(
    place.team,
    { run: run.id, suite: 'unit' },
    xml(passed('adds'), failed('pays')),
  );
  assert.equal(answer.status, 201);
  const { status, reportId, faults } = answer.body as unknown as TestReportReceipt;
  assert.deepEqual([status, reportId], ['known', before.reports[0]!.reportId]);
  assert.match(faults[0]!, /were read from its artifacts before/);
  assert.deepEqual(await testsOf(place.team, run.id), before);
  const other = await upload(place.team, { run: run.id, attempt: 2 }, xml(passed('adds')));
  assert.equal(other.body['status'], 'stored');
});

/** Lets the forge report a failed job of a run that is not over. */
async function failJob({ team, repository }: Place, run: ReturnType<typeof runWith>, log: string) {
  const at = new Date().toISOString();
  const steps = [{ number: 1, name: 'go test', status: 'completed', conclusion: 'failure', started_at: at }];
  const id = Number(run.jobs[0]!['id']);
  const job = { ...run.jobs[0], conclusion: 'failure', status: 'completed', completed_at: at, steps };
  run.jobs[0] = job as never;
  run.attempts[0]!.conclusion = 'failure';
  repository.logs.set(id, log);
  const place = { id: repository.id, full_name: repository.name, default_branch: 'main' };
  const payload = { action: 'completed', workflow_job: job, repository: place };
  assert.equal((await postWebhook(product.baseUrl, team, { event: 'workflow_job', payload })).status, 200);
}

test('a failure group links to its test when the report of an artifact names it later', async () => {
  const place = await newRepositoryTeam();
  const run = runWith(place.repository, [{ name: 'junit', bytes: report(failed('TestPays')) }]);
  await failJob(place, run, '2026-11-20T12:00:01Z --- FAIL: TestPays (0.00s)\n');
  const groupOf = async () => {
    const { body } = await place.team.viewer.call('GET', place.team.path('/failure-groups'));
    return (body['items'] as FailureGroup[])[0];
  };
  await waitUntil('the group', async () => (await groupOf()) !== undefined, 20_000);
  const before = await groupOf();
  assert.equal(before?.test, null);
  await complete(place, run);
  await untilLookedAt(place.team, run.id);
  const testId = (await testsOf(place.team, run.id)).tests[0]!.testId;
  assert.deepEqual(await groupOf(), { ...before, test: { testId, className: 'cart', name: 'TestPays' } });
  const { body } = await place.team.viewer.call('GET', place.team.path(`/tests/${testId}`));
  assert.deepEqual(
    (body as unknown as TestDetail).failureGroups.map(({ groupId, isOfTest }) => [groupId, isOfTest]),
    [[before!.groupId, true]],
  );
});

test('a rule that leaves out quarantined tests waits for the artifacts of a failed attempt', async () => {
  const place = await newRepositoryTeam();
  const { team, repository } = place;
  const rule = await team.admin.call(
    'POST',
    team.path('/notification-rules'),
    ruleBody({ ignoreQuarantined: true }),
  );
  const flaky = runWith(repository, [
    { name: 'junit', bytes: report('<testcase name="TestPays"><flakyFailure/></testcase>') },
  ]);
  await complete(place, flaky);
  await untilLookedAt(team, flaky.id);
  const testId = (await testsOf(team, flaky.id)).tests[0]!.testId;
  const put = await team.member.call('PUT', team.path(`/tests/${testId}/quarantine`), { reason: 'Race' });
  assert.equal(put.status, 200);

  const asked = Promise.withResolvers<() => void>();
  const bytes = report(failed('TestPays'));
  const run = runWith(repository, [
    { name: 'junit', bytes: (_request, response) => asked.resolve(() => response.end(bytes)) },
  ]);
  await failJob(place, run, '--- FAIL: TestPays (0.00s)\n');
  await complete(place, run);
  const send = await asked.promise;
  // Evaluated after the others, as far as these do not wait.
  const green = runWith(repository, []);
  await complete(place, green);
  await waitUntil('the green run', async () => (await team.runs()).some(({ runId }) => runId === green.id));
  const waiting = await waitUntil('the green run to be evaluated', async () => {
    const rows = await database.asOwner<{ run: number }>(
      'select run_id::int as run from pending_evaluations where group_id = $1',
      [team.integrationId],
    );
    return rows.some((row) => row.run === green.id) ? undefined : rows;
  });
  assert.deepEqual(waiting, [{ run: run.id }, { run: run.id }]);
  send();
  await untilEvaluated(product.database, team.integrationId);
  const path = team.path(`/notification-rules/${String(rule.body['ruleId'])}/deliveries`);
  assert.deepEqual((await team.admin.call('GET', path)).body['items'], []);
});

test('a storage server that the forge redirects to gets no credential', async () => {
  const place = await newRepositoryTeam();
  storage.bytes = report(passed('adds'));
  const run = runWith(place.repository, [
    {
      name: 'junit',
      bytes: (_request, response) =>
        response.writeHead(302, { location: `http://127.0.0.1:${store.port}/signed` }).end(),
    },
  ]);
  await complete(place, run);
  await untilLookedAt(place.team, run.id);
  assert.equal((await testsOf(place.team, run.id)).reports.length, 1);
  assert.equal(storage.authorization, 'none');
});

const redirectTo =
  (location: string): TestArtifact['bytes'] =>
  (_request, response) =>
    response.writeHead(302, { location }).end();

const refused: readonly [string, Partial<TestArtifact>, string, RegExp][] = [
  ['that is no report', { bytes: Buffer.from('nothing') }, 'report_unreadable', /neither XML nor JSON/],
  [
    'that is a damaged archive',
    { bytes: report(passed('a')).subarray(0, 50) },
    'report_unreadable',
    /damaged/,
  ],
  [
    'of 10 GB, as the forge says',
    { said: { size_in_bytes: 10_000_000_000 } },
    'report_too_large',
    /artifact of their own/,
  ],
  [
    'that does not end',
    {
      bytes: (_request, response) => {
        const send = (): void => void (response.write(Buffer.alloc(1024 * 1024)) ? setImmediate(send) : 0);
        response.on('drain', send);
        response.on('error', () => {});
        send();
      },
    },
    'report_too_large',
    /30 MiB/,
  ],
  ['that has expired', { bytes: status(410) }, 'forge_refused', /410/],
  ['that is gone', { bytes: status(404) }, 'forge_refused', /404/],
  ['that may not be read', { bytes: status(403) }, 'forge_refused', /403/],
  [
    'behind a redirect to a private address',
    { bytes: redirectTo('https://169.254.169.254/latest/meta-data') },
    'forge_address_refused',
    /private address/,
  ],
];

test('each artifact that cannot be read has an entry once a day, and changes nothing', async () => {
  const place = await newRepositoryTeam();
  const bad = refused.map(([name, artifact]) => ({ name: `junit ${name}`, ...artifact }));
  const first = runWith(place.repository, bad);
  await complete(place, first);
  await untilLookedAt(place.team, first.id);
  const second = runWith(place.repository, [
    ...bad.filter(({ name }) => !name.includes('does not end')),
    { name: 'junit-good' },
  ]);
  await complete(place, second);
  await untilLookedAt(place.team, second.id);
  const entries = await droppedOf(place.team);
  assert.deepEqual(
    entries.map(({ details }) => [details['artifact'], details['code'], details['runId']]).toSorted(),
    refused.map(([name, , code]) => [`junit ${name}`, code, first.id]).toSorted(),
  );
  for (const [name, , , words] of refused)
    assert.match(entries.find(({ details }) => details['artifact'] === `junit ${name}`)!.title, words);
  assert.equal((await testsOf(place.team, first.id)).reports.length, 0);
  assert.equal((await testsOf(place.team, second.id)).reports.length, 1);
});

function status(code: number): TestArtifact['bytes'] {
  return (_request, response) => response.writeHead(code).end('{}');
}

test('a list that the forge refuses has an entry, and is asked for once', async () => {
  const place = await newRepositoryTeam();
  const run = runWith(place.repository, [{ name: 'junit' }]);
  forge.interfere = (call) => (call.includes(`/runs/${run.id}/artifacts`) ? { status: 403 } : undefined);
  await complete(place, run);
  await untilLookedAt(place.team, run.id);
  forge.interfere = undefined;
  const [entry] = await droppedOf(place.team);
  assert.deepEqual([entry?.details['code'], entry?.details['artifact']], ['forge_refused', undefined]);
});

test('of more than fifty artifacts fifty are read, and the event log says so', async () => {
  const place = await newRepositoryTeam();
  const run = runWith(
    place.repository,
    Array.from({ length: 120 }, (_, n) => ({ name: `junit-${n}`, bytes: report(passed(`test ${n}`)) })),
  );
  await complete(place, run);
  await waitUntil(
    'the artifacts to be looked at',
    async () => (await droppedOf(place.team)).length > 0,
    60_000,
  );
  assert.match((await droppedOf(place.team))[0]!.title, /120 artifacts whose names match. The first 50/);
  assert.equal((await testsOf(place.team, run.id)).reports.length, 50);
});

test('a forge that is down is asked again, at most five times', async () => {
  const place = await newRepositoryTeam();
  const run = runWith(place.repository, [{ name: 'junit', bytes: status(503) }]);
  const [{ id }] = place.repository.artifacts as [TestArtifact];
  await complete(place, run);
  await waitUntil('five tries', async () => {
    await database.asOwner(
      'update artifact_checks set due_at = now() where integration_id = $1 and due_at > now()',
      [place.team.integrationId],
    );
    await database.asOwner(
      `update tasks set due_at = now() where integration_id = $1 and kind = 'forge-artifacts' and leased_until is null`,
      [place.team.integrationId],
    );
    return (await droppedOf(place.team)).length > 0;
  });
  await untilLookedAt(place.team, run.id);
  assert.equal(downloads(id), 5);
  assert.equal((await droppedOf(place.team))[0]?.details['code'], 'forge_unavailable');
});

test('a rate limit is waited for', async () => {
  const place = await newRepositoryTeam();
  const run = runWith(place.repository, [{ name: 'junit' }]);
  let refused = 0;
  forge.interfere = (call) => {
    if (!call.includes(`/runs/${run.id}/artifacts`) || refused > 0) return undefined;
    refused += 1;
    return { status: 429, headers: { 'retry-after': '1' } };
  };
  await complete(place, run);
  await untilLookedAt(place.team, run.id);
  forge.interfere = undefined;
  assert.equal(refused, 1);
  assert.equal((await testsOf(place.team, run.id)).reports.length, 1);
});

test('patterns decide what is read, and without one nothing is asked for', async () => {
  const place = await newRepositoryTeam();
  const path = place.team.path('/report-artifacts');
  const { body: usual } = await place.team.viewer.call('GET', path);
  assert.deepEqual(usual, { patterns: ['*junit*', '*test-result*'] });
  const put = (patterns: string[], person: 'admin' | 'member' = 'admin') =>
    place.team[person].call('PUT', path, { patterns });
  assert.equal((await put(['x'], 'member')).status, 403);
  assert.equal((await put(['a\nb'])).status, 400);

  assert.deepEqual((await put([' reports-* ', 'reports-*'])).body, { patterns: ['reports-*'] });
  const first = runWith(place.repository, [{ name: 'junit' }, { name: 'reports-linux' }]);
  await complete(place, first);
  await untilLookedAt(place.team, first.id);
  assert.deepEqual(
    (await testsOf(place.team, first.id)).reports.map(({ job }) => job),
    ['reports-linux'],
  );

  assert.equal((await put([])).status, 200);
  const second = runWith(place.repository, [{ name: 'reports-linux' }]);
  await complete(place, second);
  await waitUntil('the run', async () => (await place.team.runs()).length === 2);
  const checks = await database.asOwner('select from artifact_checks where run_id = $1', [second.id]);
  assert.equal(checks.length, 0);
  const { body } = await place.team.viewer.call(
    'GET',
    place.team.path('/event-log?type=integration.report_artifacts_changed'),
  );
  assert.deepEqual(
    (body['items'] as LogEntry[]).map(({ title }) => title),
    ['No artifact is read for reports of tests', 'Artifacts named reports-* are read for reports of tests'],
  );
});
