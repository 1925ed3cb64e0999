import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparedRuns } from '#contract/metrics/steps.ts';
import { greenBuild, jobOf, runOf, type Completion } from '#test/support/data/completions.ts';
import { at } from '#test/support/data/forge-events.ts';
import { createMetricsReader } from '#test/support/data/reading/metrics-reader.ts';

const { record, changes, steps, emptyAll } = await createMetricsReader();

/** The clock is six days after the epoch of the tests, and the default period is the week before. */
const hour = 3600;
const weekAgo = -24 * hour;

interface Step {
  name: string;
  seconds: number;
  conclusion?: string;
}

/** A run with its job, whose steps follow each other. */
function eventsOf(one: Partial<Completion> & { id: number; startSeconds: number }, list: readonly Step[]) {
  const completion = { ...greenBuild, seconds: list.reduce((sum, { seconds }) => sum + seconds, 0), ...one };
  let start = completion.startSeconds;
  const shown = list.map(({ name, seconds, conclusion = 'success' }, index) => ({
    number: index + 1,
    name,
    status: 'completed',
    conclusion,
    started_at: at(start),
    completed_at: at((start += seconds)),
  }));
  return [
    runOf(completion, { created_at: at(completion.startSeconds) }),
    jobOf(completion, { steps: shown }),
  ];
}

/** Runs from a fortnight ago to now. `isAfter` tells those of the second week. */
function fortnight(each: (place: number, isAfter: boolean) => readonly Step[], everyHours = 6, name = 'CI') {
  const count = Math.floor((13 * 24) / everyHours);
  return Array.from({ length: count }, (_, place) => {
    const startSeconds = 5.5 * 24 * hour - (count - 1 - place) * everyHours * hour;
    const id = (name === 'CI' ? 0 : 5000) + place + 1;
    const list = each(place, startSeconds >= weekAgo);
    const isRed = list.some(({ conclusion }) => conclusion === 'failure');
    return eventsOf({ id, name, startSeconds, conclusion: isRed ? 'failure' : 'success' }, list);
  }).flat();
}

test('a job that became slower names the steps that did, and a job that fails more the step that fails', async () => {
  await emptyAll();
  await record(
    ...fortnight((place, isAfter) => [
      { name: 'Set up', seconds: 5 },
      { name: 'Install', seconds: isAfter ? 40 : 20 },
      {
        name: 'Test',
        seconds: isAfter ? 150 : 60,
        conclusion: isAfter && place % 3 === 0 ? 'failure' : 'success',
      },
      { name: 'Publish', seconds: 0, conclusion: 'skipped' },
    ]),
    ...fortnight(() => [{ name: 'Deploy', seconds: 30 }], 6, 'Deploy'),
  );
  const { items } = await changes();
  const partsOf = (kind: string) => items.find((item) => item.kind === kind)?.parts ?? [];
  assert.deepEqual(partsOf('slower'), [
    { job: 'build', step: 'Test', before: 60_000, after: 150_000 },
    { job: 'build', step: 'Install', before: 20_000, after: 40_000 },
  ]);
  const [fails, ...others] = partsOf('failing');
  assert.deepEqual([fails?.job, fails?.step, fails?.before, others], ['build', 'Test', 0, []]);
  assert.ok(fails!.after > 0.2, JSON.stringify(fails));
});

test('steps are compared before and after the moment, also when that is within the period before', async () => {
  await emptyAll();
  const slowSince = 30;
  await record(
    ...fortnight(
      (place) => [
        { name: 'Set up', seconds: 5 },
        { name: 'Test', seconds: place < slowSince ? 80 : 150 },
      ],
      4,
    ),
  );
  const [{ parts, since } = assert.fail()] = (await changes({ from: at(-3 * 24 * hour) })).items;
  assert.equal(since?.before.runId, slowSince);
  assert.deepEqual(parts, [{ job: 'build', step: 'Test', before: 80_000, after: 150_000 }]);
});

test('the steps of a workflow are sorted by their median, with that of the period before', async () => {
  await emptyAll();
  await record(
    ...fortnight((_, isAfter) => [
      { name: 'Short', seconds: 2 },
      { name: 'Long', seconds: 90 },
      ...(isAfter ? [{ name: 'New', seconds: 30 }] : []),
      { name: 'Never', seconds: 0, conclusion: 'skipped' },
    ]),
    ...fortnight(() => [{ name: 'Deploy', seconds: 300 }], 6, 'Deploy'),
  );
  const { items } = await steps();
  assert.deepEqual(
    items.map(({ job, step, before, after }) => [job, step, before?.durationP50Ms, after.durationP95Ms]),
    [
      ['build', 'Long', 90_000, 90_000],
      ['build', 'New', undefined, 30_000],
      ['build', 'Short', 2000, 2000],
    ],
  );
  assert.deepEqual((await steps({ branch: 'other' })).items, []);
  assert.deepEqual((await steps({ workflow: 'Nothing' })).items, []);
  assert.deepEqual((await steps({ repository: 'acme/other' })).items, []);
});

test('of a period with many runs the newest are read', async () => {
  await emptyAll();
  const all = 13 * 24;
  await record(
    ...fortnight((place) => [{ name: 'Test', seconds: place >= all - comparedRuns ? 10 : 100 }], 1),
  );
  const [{ before, after } = assert.fail()] = (await steps()).items;
  assert.deepEqual([after.runs, after.durationP95Ms], [comparedRuns, 10_000]);
  assert.deepEqual([before?.runs, before?.durationP50Ms], [comparedRuns, 100_000]);
});
