import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogEntry } from '#contract/deliveries/event-log.ts';
import type { TestReportReceipt } from '#contract/tests/tests.ts';
import { report, startArtifactProduct } from '#test/support/forge/artifact-runs.ts';
import { failed, passed, xml } from '#test/support/team/test-reports.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const {
  product,
  upload,
  newRepositoryTeam,
  runWith,
  complete,
  untilLookedAt,
  testsOf,
  droppedOf,
  downloads,
} = await startArtifactProduct();
const { database } = product;

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
  // No event has named this attempt.
  const other = await upload(place.team, { run: run.id, attempt: 2 }, xml(passed('adds')));
  assert.equal(other.body['status'], 'waiting');
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
