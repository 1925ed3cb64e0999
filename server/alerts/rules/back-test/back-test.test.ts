import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import * as fc from 'fast-check';
import type { RuleBody } from '#contract/alerts/alerts.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import type { MonitoringEvent } from '#server/events/parsing/parse-event.ts';
import {
  at,
  epoch,
  eventOf,
  integrationId,
  jobPayload,
  runPayload,
} from '#test/support/data/forge-events.ts';
import { createMonitoringStore } from '#test/support/data/reading/monitoring-store.ts';
import { deleteRows, readRows } from '#test/support/database/rows.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { incidentsOf, notificationsOf } from '#test/support/alerts/stored-alerts.ts';
import { testMasterKey } from '#test/support/database/test-database.ts';
import { backTest } from './back-test.ts';
import { evaluateRules } from '#server/alerts/evaluation/evaluate-rules.ts';
import type { Evaluation } from '#server/alerts/evaluation/evaluation.ts';
import { insertPendingEvaluations } from '#server/alerts/evaluation/completion-store.ts';
import { alertPolicy } from '#server/alerts/policy.ts';
import { createRule } from '../save-rule.ts';

const { database, record, empty } = await createMonitoringStore();
await insertIntegration(database, integrationId);
const sealer = makeSealer([testMasterKey]);
const clock = () => epoch + 5 * 86_400_000;

const conclusion = fc.constantFrom('failure', 'success', 'success', 'timed_out', 'cancelled');
const branch = fc.constantFrom('main', 'topic/1');

/**
 * Runs of one or two attempts with jobs of any conclusion; no two complete in the same second. For some of them only the
 * jobs are reported.
 */
const history = fc
  .array(
    fc.record({
      branch,
      fork: fc.boolean(),
      isTold: fc.boolean(),
      actor: fc.constantFrom('ann', 'bot[bot]'),
      attempts: fc.array(fc.record({ conclusion, jobs: fc.array(conclusion, { maxLength: 2 }) }), {
        minLength: 1,
        maxLength: 2,
      }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .chain((runs) =>
    fc
      .array(fc.integer({ min: 1, max: 900 }), { minLength: runs.length * 6, maxLength: runs.length * 6 })
      .map((gaps) => eventsOf(runs, gaps)),
  );

interface Run {
  branch: string;
  fork: boolean;
  isTold: boolean;
  actor: string;
  attempts: { conclusion: string; jobs: string[] }[];
}

/** Overlapping runs: each starts a few minutes after the one before. */
function eventsOf(runs: readonly Run[], gaps: number[]): { event: MonitoringEvent; second: number }[] {
  return runs
    .flatMap(({ branch: head_branch, fork, isTold, actor, attempts }, index) => {
      const id = 100 + index;
      // A different fraction per run, so that no two completions have the same time.
      let second = index * 600 + index / 10;
      const base = {
        id,
        name: 'CI',
        head_branch,
        actor: { login: actor },
        head_repository: { full_name: fork ? 'ann/site' : 'acme/site' },
        created_at: at(second),
      };
      const begins = {
        second,
        event: eventOf('workflow_run', runPayload({ ...base, updated_at: at(second) })),
      };
      return [
        ...(isTold ? [begins] : []),
        ...attempts.flatMap(({ conclusion: result, jobs }, nth) => {
          const ended = { status: 'completed', run_attempt: nth + 1 };
          const done = jobs.map((jobResult, job) => {
            second += gaps.shift() ?? 1;
            const fields = {
              ...ended,
              run_id: id,
              id: id * 100 + nth * 10 + job,
              name: `job ${job}`,
              workflow_name: 'CI',
              head_branch,
              conclusion: jobResult,
              completed_at: at(second),
            };
            return { second, event: eventOf('workflow_job', jobPayload(fields)) };
          });
          second += gaps.shift() ?? 1;
          const fields = { ...base, ...ended, conclusion: result, updated_at: at(second) };
          const end = { second, event: eventOf('workflow_run', runPayload(fields)) };
          return [...done, ...(isTold ? [end] : [])];
        }),
      ];
    })
    .sort((a, b) => a.second - b.second);
}

const rules: fc.Arbitrary<RuleBody> = fc
  .record({
    events: fc.constantFrom<RuleBody['events'][]>(['run'], ['job'], ['run', 'job']),
    cooldownMinutes: fc.constantFrom(0, 10, 60),
    firstAttemptOnly: fc.boolean(),
    ignoreQuarantined: fc.boolean(),
    ignoreBots: fc.boolean(),
    notifyOnRecovery: fc.boolean(),
    defaultBranchOnly: fc.boolean(),
    branches: fc.constantFrom<RuleBody['branches'][]>(
      { include: [], exclude: [] },
      { include: ['main'], exclude: [] },
    ),
  })
  .map((fields) => ruleBody({ ...fields, channels: [{ type: 'email', to: ['ann@example.com'] }] }));

async function live(events: readonly { event: MonitoringEvent }[], size: number) {
  for (let start = 0; start < events.length; start += 1) {
    const { event } = events[start]!;
    await record(event);
    const row = event.type === 'workflow_run' || event.type === 'workflow_job' ? event.row : undefined;
    if (row?.status !== 'completed') continue;
    await database.worker.withScope({ integrationId }, (tx) =>
      insertPendingEvaluations(tx, [
        {
          integrationId,
          runId: row.runId,
          attempt: row.attempt,
          jobId: 'jobId' in row ? row.jobId : null,
          isGreen: row.conclusion === 'success',
          isOfDefaultBranch: false,
          deliverySeq: String(start + 1),
          receivedAt: null,
        },
      ]),
    );
    if (start % size === 0) await evaluate();
  }
  await evaluate();
  const incidents = await incidentsOf(database, integrationId);
  const sent = await notificationsOf(database, integrationId);
  const evaluations = await readRows<{ evaluation: Evaluation }>(database, 'delivery_evaluations');
  const opened = sent.filter(({ kind }) => kind === 'opened');
  const heldBack = opened.filter(({ status }) => status === 'held_back').length;
  return {
    counted: incidents.reduce((sum, { failedRuns, failedJobs }) => sum + failedRuns + failedJobs, 0),
    counts: {
      incidents: incidents.length,
      redNow: incidents.filter(({ status }) => status === 'open').length,
      // A success that arrives late takes failures out again, so incidents may count fewer.
      matches: evaluations.filter(({ evaluation }) => evaluation.countedAs !== null).length,
      fired: opened.length - heldBack,
      heldBack,
      recovered: sent.filter(({ kind }) => kind === 'recovered').length,
    },
  };
}

const late = epoch + 40 * 86_400_000;

function evaluate(): Promise<number> {
  return database.worker.withScope({ integrationId }, (tx) =>
    // So late that a red default branch counts only if the rule matches.
    evaluateRules(tx, integrationId, { ...alertPolicy, awaitRunMs: 0, newsMs: Infinity }, late, 100),
  );
}

test('a back-test has the same result as the live evaluation', async () => {
  let fired = 0;
  await fc.assert(
    fc.asyncProperty(history, rules, fc.integer({ min: 1, max: 5 }), async (events, body, size) => {
      await empty();
      for (const table of [
        'incidents',
        'delivery_evaluations',
        'branch_successes',
        'job_successes',
        'notification_rules',
      ])
        await deleteRows(database, table);
      await createRule(
        { db: database.api, sealer, refusal: () => undefined },
        { integrationId, actorId: randomUUID() },
        body,
      );
      const { counted, counts } = await live(events, size);
      const {
        days: _,
        digest: __,
        passedOnRerun,
        from,
        samples,
        ...tested
      } = await backTest({ db: database.api, clock }, integrationId, body);
      assert.deepEqual(tested, counts);
      assert.equal(from, new Date(clock() - 30 * 86_400_000).toISOString());
      assert.ok(passedOnRerun <= tested.fired);
      assert.equal(samples.length, Math.min(20, tested.incidents));
      if (samples.length === tested.incidents)
        assert.equal(
          samples.reduce((sum, { failedRuns, failedJobs }) => sum + failedRuns + failedJobs, 0),
          counted,
        );
      fired += tested.fired;
    }),
    { numRuns: 60 },
  );
  assert.ok(fired > 0, 'the histories were too tame');
});

test('a back-test takes a completion in the future as one of now, as the live evaluation does', async () => {
  await empty();
  for (const [id, conclusion, ended] of [
    [1, 'failure', '2100-01-01T00:00:00Z'],
    [2, 'success', '2100-01-02T00:00:00Z'],
  ] as const)
    await record(
      eventOf('workflow_run', runPayload({ id, status: 'completed', conclusion, updated_at: ended })),
    );
  const body = ruleBody({ channels: [{ type: 'email', to: ['ann@example.com'] }] });
  const { samples } = await backTest({ db: database.api, clock: () => Date.now() }, integrationId, body);
  assert.deepEqual(
    samples.map(({ redMs }) => redMs),
    [0],
  );
});

test('a back-test counts notifications about failures that passed when their run was run again', async () => {
  await empty();
  const ends: [id: number, attempt: number, conclusion: string, second: number][] = [
    [1, 1, 'failure', 10],
    [1, 2, 'failure', 20],
    [1, 3, 'success', 30],
    // Ended by a newer run.
    [2, 1, 'failure', 110],
    [3, 1, 'success', 120],
    // Two runs failed, and only the second was run again.
    [4, 1, 'failure', 210],
    [5, 1, 'failure', 220],
    [5, 2, 'success', 230],
    // Open.
    [6, 1, 'failure', 310],
  ];
  for (const [id, attempt, conclusion, second] of ends)
    await record(
      eventOf(
        'workflow_run',
        runPayload({
          id,
          run_attempt: attempt,
          status: 'completed',
          conclusion,
          created_at: at(id * 100),
          updated_at: at(id * 100 + second),
        }),
      ),
    );
  const body = ruleBody({ channels: [{ type: 'email', to: ['ann@example.com'] }], cooldownMinutes: 0 });
  const { fired, passedOnRerun } = await backTest({ db: database.api, clock }, integrationId, body);
  assert.deepEqual([fired, passedOnRerun], [4, 1]);
});
