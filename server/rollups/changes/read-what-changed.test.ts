import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change, ChangeKind, Changes } from '#contract/metrics/changes.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { greenBuild, jobOf, runOf, type Completion } from '#test/support/data/completions.ts';
import { at } from '#test/support/data/forge-events.ts';
import { createMetricsReader } from '#test/support/data/reading/metrics-reader.ts';

const { record, changes, emptyAll, addUp } = await createMetricsReader();

/** The clock is six days after the epoch of the tests, and the default period is the week before. */
const hour = 3600;
/** Runs of the fortnight, each four hours after the one before. */
const count = 80;
const startOf = (place: number) => 6 * 24 * hour - (count - place) * 4 * hour;

function sequence(each: (place: number) => Partial<Completion> = () => ({}), length = count): Completion[] {
  return Array.from({ length }, (_, place) => ({
    ...greenBuild,
    id: place + 1,
    startSeconds: startOf(place),
    ...each(place),
  }));
}

const eventsOf = (list: readonly Completion[]) =>
  list.flatMap((one) => [
    runOf(one, {
      head_sha: sha(one.id),
      display_title: `Commit ${one.id}`,
      created_at: at(one.startSeconds),
      actor: { login: `person-${one.id}`, avatar_url: null },
      html_url: `https://forge.example/acme/site/actions/runs/${one.id}`,
    }),
    jobOf(one),
  ]);
const sha = (id: number) => id.toString(16).padStart(40, '0');

const namesOf = ({ items }: Changes) => items.map(({ kind, workflow, job }) => [kind, workflow, job]);
const only = ({ items }: Changes, kind: ChangeKind): Change => {
  const found = items.filter((item) => item.kind === kind);
  assert.equal(found.length, 1, JSON.stringify(items));
  return found[0]!;
};

for (const isAddedUp of [false, true])
  test(`a workflow that takes longer is listed once with its runs before and after, ${isAddedUp ? 'after' : 'before'} days are added up`, async () => {
    await emptyAll();
    const first = 50;
    await record(
      ...eventsOf(sequence((place) => ({ seconds: place < first ? 60 + (place % 5) : 120 + (place % 7) }))),
    );
    if (isAddedUp) while ((await addUp()) > 0);
    const answer = await changes();
    assert.deepEqual(namesOf(answer), [['slower', 'CI', null]]);
    const { before, after, since, parts, trend, probability } = only(answer, 'slower');
    assert.ok(before.durationP50Ms! < 70_000 && after.durationP50Ms! > 110_000);
    assert.ok(probability < 1e-6, String(probability));
    assert.deepEqual(
      parts.map(({ job, step }) => [job, step]),
      [['build', null]],
    );
    assert.equal(trend.length, 16);
    const isSlow = trend.filter((value) => value !== null).map((value) => value > 100_000);
    assert.deepEqual(isSlow, [...Array<boolean>(8).fill(false), ...Array<boolean>(6).fill(true)]);
    assert.deepEqual([since?.before.runId, since?.after.runId], [first, first + 1]);
    assert.deepEqual([since?.after.title, since?.after.headSha], [`Commit ${first + 1}`, sha(first + 1)]);
    assert.equal(
      since?.compareUrl,
      `https://forge.example/acme/site/compare/${sha(first)}...${sha(first + 1)}`,
    );
    assert.doesNotMatch(JSON.stringify(answer), /person-/, 'nobody is named');
  });

test('a moment among runs of several branches has no commits', async () => {
  await emptyAll();
  await record(
    ...eventsOf(
      sequence((place) => ({
        seconds: place < 50 ? 60 : 120,
        branch: place % 2 === 0 ? 'main' : `topic-${place}`,
      })),
    ),
  );
  const { since } = only(await changes(), 'slower');
  assert.deepEqual([since?.before.runId, since?.after.runId, since?.compareUrl], [50, 51, null]);
});

test('a workflow that fails more and one that passes only on a re-run are listed with their counts, failures first', async () => {
  await emptyAll();
  const failsSince = 45;
  const failing = sequence((place) => ({
    conclusion: place >= failsSince && place % 2 === 0 ? 'failure' : 'success',
  }));
  const flaky = sequence((place) => ({ id: 1000 + place, name: 'Deploy' })).flatMap((one, place) =>
    place > 50 && place % 3 === 0
      ? [
          { ...one, conclusion: 'failure' },
          { ...one, attempt: 2, startSeconds: one.startSeconds + 600 },
        ]
      : [one],
  );
  await record(...eventsOf(failing), ...eventsOf(flaky));
  const answer = await changes();
  assert.deepEqual(namesOf(answer), [
    ['failing', 'CI', null],
    ['flakier', 'Deploy', null],
  ]);
  const fails = only(answer, 'failing');
  assert.deepEqual([fails.before.failed, fails.after.failed], [0, 17]);
  const { before, after } = fails.since!;
  assert.ok(before.runId <= failsSince + 2 && failsSince < after.runId && after.runId - before.runId < 16);
  const flakes = only(answer, 'flakier');
  assert.deepEqual([flakes.before.recovered, flakes.after.recovered], [0, 10]);
  assert.deepEqual(
    flakes.parts.map(({ job }) => job),
    ['build'],
  );
});

test('a job whose workflow did not change in the same way is listed by itself', async () => {
  await emptyAll();
  await record(
    ...sequence((place) => ({ seconds: place < 50 ? 20 : 60 })).flatMap((one) => [
      runOf({ ...one, seconds: 300 }, { created_at: at(one.startSeconds) }),
      jobOf(one),
    ]),
  );
  assert.deepEqual(namesOf(await changes()), [['slower', 'CI', 'build']]);
});

test('a workflow that uses more minutes each day is listed, and one with too few runs is not compared', async () => {
  await emptyAll();
  const twice = sequence().flatMap((one, place) =>
    place < count / 2 ? [one] : [one, { ...one, id: 500 + place }],
  );
  const rare = sequence((place) => ({
    id: 2000 + place,
    name: 'Rare',
    seconds: place < 40 ? 60 : 600,
  })).filter((_, place) => place % 3 === 0);
  // A run of the day before shows that the period before is known from its start.
  const older = { ...greenBuild, id: 9000, name: 'Old', startSeconds: -9 * 24 * hour };
  await record(...eventsOf(twice), ...eventsOf(rare));
  // Seven whole days, as many as before.
  const week = { from: '2026-01-05T00:00:00Z' };
  assert.deepEqual(namesOf(await changes(week)), [], 'the period before may have begun without data');
  await record(...eventsOf([older]));
  const answer = await changes(week);
  assert.deepEqual(namesOf(answer), [['costlier', 'CI', null]]);
  const { before, after, since, trend } = only(answer, 'costlier');
  assert.ok(after.billableMinutes > before.billableMinutes * 1.5);
  assert.deepEqual([since, trend.length], [null, 14]);
  assert.equal(answer.compared, 2);
});

test('a difference that runs without a trend often have is not listed', async () => {
  await emptyAll();
  // 9 of 41 failed, before 4 of 39: the share doubled, by chance in one of five such periods.
  const failed = new Set([3, 12, 22, 35, 41, 44, 50, 53, 59, 62, 68, 71, 77]);
  await record(
    ...eventsOf(
      sequence((place) => ({
        conclusion: failed.has(place) ? 'failure' : 'success',
        seconds: 60 + ((place * 37) % 40) + (place >= 40 ? 8 : 0),
      })),
    ),
  );
  const answer = await changes();
  assert.deepEqual([namesOf(answer), answer.compared], [[], 2]);
});

test('the periods are days of the time zone, and an unknown zone is refused', async () => {
  await emptyAll();
  const answer = await changes({ timeZone: 'Pacific/Auckland' });
  assert.match(answer.from, /T(11|12):00/);
  assert.equal(answer.timeZone, 'Pacific/Auckland');
  await assert.rejects(changes({ timeZone: 'Mars/Olympus' }), (error) => {
    assert.ok(error instanceof AppError);
    assert.deepEqual(
      error.errors?.map(({ field }) => field),
      ['timeZone'],
    );
    return true;
  });
});

test('filters, empty data and impossible periods', async () => {
  await emptyAll();
  const none = await changes();
  assert.deepEqual([none.compared, none.count, none.comparesFlakyJobs], [0, 0, true]);
  await record(...eventsOf(sequence((place) => ({ seconds: place < 40 ? 60 : 200 }))));
  for (const [query, found] of [
    [{ repository: 'acme/site', workflow: 'CI', branch: 'default' }, 1],
    [{ branch: 'other' }, 0],
    [{ repository: 'acme/other' }, 0],
    [{ workflow: 'Deploy' }, 0],
  ] as const)
    assert.equal((await changes(query)).count, found, JSON.stringify(query));
  await assert.rejects(changes({ from: '2025-06-01T00:00:00Z' }), (error) => {
    assert.ok(error instanceof AppError);
    assert.deepEqual(error.errors, [{ field: 'from', message: 'must be at most 92 days before to' }]);
    return true;
  });
});
