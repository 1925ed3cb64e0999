import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change, Changes } from '#contract/metrics/changes.ts';
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

const namesOf = (list: Changes['slower']) => list.items.map(({ workflow, job }) => job ?? workflow);
const only = (list: Changes['slower'], job: string | null): Change => {
  const found = list.items.filter((item) => item.job === job);
  assert.equal(found.length, 1, JSON.stringify(list));
  return found[0]!;
};

for (const isAddedUp of [false, true])
  test(`a workflow that takes longer is listed with the run and commit since which it does, ${isAddedUp ? 'after' : 'before'} days are added up`, async () => {
    await emptyAll();
    const first = 50;
    await record(
      ...eventsOf(sequence((place) => ({ seconds: place < first ? 60 + (place % 5) : 120 + (place % 7) }))),
    );
    if (isAddedUp) while ((await addUp()) > 0);
    const answer = await changes();
    assert.deepEqual(namesOf(answer.slower).toSorted(), ['CI', 'build']);
    for (const job of [null, 'build']) {
      const { before, after, since, measure } = only(answer.slower, job);
      assert.equal(measure.startsWith('duration'), true);
      assert.ok(before.durationP50Ms! < 70_000 && after.durationP50Ms! > 110_000);
      assert.deepEqual(
        [since?.precision, since?.before?.runId, since?.after?.runId],
        ['run', first, first + 1],
      );
      assert.deepEqual(
        [since?.after?.title, since?.after?.actor, since?.after?.headSha],
        [`Commit ${first + 1}`, `person-${first + 1}`, sha(first + 1)],
      );
      assert.equal(
        since?.compareUrl,
        `https://forge.example/acme/site/compare/${sha(first)}...${sha(first + 1)}`,
      );
    }
    assert.deepEqual([answer.failing.count, answer.flakier.count], [0, 0]);
  });

test('among many runs of a day, the moment is found by the hour and by the run', async () => {
  await emptyAll();
  const [length, first] = [240, 173];
  const busy = sequence(
    (place) => ({
      startSeconds: 6 * 24 * hour - (length - place) * 0.6 * hour,
      seconds: place < first ? 60 + (place % 9) : 90 + (place % 9),
    }),
    length,
  );
  await record(...eventsOf(busy));
  while ((await addUp()) > 0);
  const { slower } = await changes({ from: at(3.5 * 24 * hour) });
  for (const job of [null, 'build']) {
    const { since } = only(slower, job);
    assert.deepEqual(
      [since?.precision, since?.before?.runId, since?.after?.runId],
      ['run', first, first + 1],
    );
  }
});

test('a workflow that fails more and one that passes only on a re-run are listed with their shares', async () => {
  await emptyAll();
  const failsSince = 45;
  const failing = sequence((place) => ({
    conclusion: place >= failsSince && place % 2 === 0 ? 'failure' : 'success',
  }));
  const flaky = sequence((place) => ({ id: 1000 + place, name: 'Deploy' })).flatMap((one, place) =>
    place > 55 && place % 3 === 0
      ? [
          { ...one, conclusion: 'failure' },
          { ...one, attempt: 2, startSeconds: one.startSeconds + 600 },
        ]
      : [one],
  );
  await record(...eventsOf(failing), ...eventsOf(flaky));
  const answer = await changes();
  const fails = only(answer.failing, null);
  assert.deepEqual([fails.workflow, fails.before.failed], ['CI', 0]);
  assert.ok(fails.after.failed > 10 && fails.after.failedShare! > 0.3, JSON.stringify(fails.after));
  assert.ok(Math.abs(fails.since!.after!.runId - failsSince - 1) <= 2, JSON.stringify(fails.since));
  for (const job of [null, 'build']) {
    const flakes = answer.flakier.items.find((item) => item.job === job && item.workflow === 'Deploy');
    assert.deepEqual([flakes?.before.recovered, flakes?.after.recovered], [0, 8]);
    assert.ok(flakes?.since, JSON.stringify(flakes));
  }
});

test('a workflow that uses more minutes is listed, and one with few runs is not', async () => {
  await emptyAll();
  const twice = sequence().flatMap((one, place) =>
    place < count / 2 ? [one] : [one, { ...one, id: 500 + place }],
  );
  const rare = sequence((place) => ({
    id: 2000 + place,
    name: 'Rare',
    seconds: place < 40 ? 60 : 600,
  })).filter((_, place) => place % 6 === 0);
  await record(...eventsOf(twice), ...eventsOf(rare));
  const answer = await changes();
  const { before, after } = only(answer.costlier, null);
  assert.ok(after.billableMinutes > before.billableMinutes * 1.5);
  assert.deepEqual(namesOf(answer.slower), []);
  assert.equal(answer.compared, 2);
});

test('filters, empty data and impossible periods', async () => {
  await emptyAll();
  const none = await changes();
  assert.deepEqual([none.compared, none.slower.count, none.comparesFlakyJobs], [0, 0, true]);
  await record(...eventsOf(sequence((place) => ({ seconds: place < 40 ? 60 : 200 }))));
  for (const [query, found] of [
    [{ repository: 'acme/site', workflow: 'CI', branch: 'default' }, 2],
    [{ branch: 'other' }, 0],
    [{ repository: 'acme/other' }, 0],
    [{ workflow: 'Deploy' }, 0],
  ] as const)
    assert.equal((await changes(query)).slower.count, found, JSON.stringify(query));
  await assert.rejects(changes({ from: '2025-06-01T00:00:00Z' }), (error) => {
    assert.ok(error instanceof AppError);
    assert.deepEqual(error.errors, [{ field: 'from', message: 'must be at most 92 days before to' }]);
    return true;
  });
});
