import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import pino from 'pino';
import { makeListener } from '#platform/database/listener.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { alertPolicy, type AlertPolicy } from '#server/alerts/policy.ts';
import { createRule } from '#server/alerts/rules/save-rule.ts';
import {
  makeRuleEvaluator,
  type RuleEvaluator,
  type StoredObject,
} from '#server/alerts/evaluation/rule-evaluator.ts';
import { pendingEvaluations } from './pending-evaluations.ts';
import { startTasks } from '#test/support/product/start-tasks.ts';
import { incidentsOf } from './stored-alerts.ts';
import { storeJob, storeRun } from './store-completions.ts';
import { ruleBody } from './rule-body.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';

const log = pino({ level: 'silent' });

/** A rule evaluator without the worker. */
export async function setUpRuleEvaluator() {
  const database = await createTestDatabase();
  const actorId = randomUUID();
  const enqueue = (evaluator: RuleEvaluator, integrationId: string, stored: StoredObject[]): Promise<void> =>
    database.worker.withScope({ integrationIds: [integrationId] }, async (tx) =>
      evaluator.enqueue(
        tx,
        stored.map((object) => ({ object, messageId: '', receivedAt: null })),
      ),
    );
  const make = async (t: TestContext, policy: Partial<AlertPolicy>): Promise<RuleEvaluator> => {
    const listener = makeListener(database.worker.connection, log);
    t.after(() => listener.stop());
    const deps = { db: database.worker, listener, log, clock: Date.now };
    const evaluator = makeRuleEvaluator({ ...deps, policy: { ...alertPolicy, ...policy } });
    await listener.start();
    await evaluator.start();
    return evaluator;
  };
  return {
    database,
    actorId,
    /** An evaluator that notes completions. `start` also evaluates them; the end of the test stops it. */
    note: (t: TestContext): Promise<RuleEvaluator> => make(t, {}),
    start: async (t: TestContext, policy: Partial<AlertPolicy> = {}): Promise<RuleEvaluator> => {
      const evaluator = await make(t, policy);
      const tasks = await startTasks(t, database, [evaluator.kind]);
      return { ...evaluator, stop: tasks.stop };
    },
    addRule: async (integrationId: string): Promise<string> => {
      const deps = { db: database.api, sealer: makeSealer([testMasterKey]), refusal: () => undefined };
      return (await createRule(deps, { integrationId, actorId }, ruleBody())).ruleId;
    },
    /** Stores a completed run and enqueues it, as the worker does. */
    store: async (
      evaluator: RuleEvaluator,
      integrationId: string,
      runId: number,
      conclusion: string,
      repository = 'acme/site',
      branch = 'main',
    ): Promise<StoredObject[]> => {
      await storeRun(database, integrationId, runId, { conclusion, repository, branch });
      const onDefaultBranch = branch === 'main';
      const stored = [{ integrationId, runId, attempt: 1, status: 'completed', conclusion, onDefaultBranch }];
      await enqueue(evaluator, integrationId, stored);
      return stored;
    },
    /** Stores and enqueues a completed job. */
    storeJob: async (
      evaluator: RuleEvaluator,
      integrationId: string,
      runId: number,
      conclusion: string,
      name = 'build',
    ): Promise<void> => {
      const jobId = name === 'build' ? 8 : 9;
      await storeJob(database, integrationId, { id: jobId, run_id: runId, name, conclusion });
      await enqueue(evaluator, integrationId, [
        { integrationId, runId, attempt: 1, jobId, status: 'completed', conclusion, onDefaultBranch: true },
      ]);
    },
    /** The pending evaluations. */
    pending: (integrationId: string) => pendingEvaluations(database, integrationId),
    /** The runs that closed the incidents, in the order of opening. */
    closedBy: async (integrationId: string): Promise<(number | null)[]> =>
      (await incidentsOf(database, integrationId)).map(({ closedByRunId }) => closedByRunId),
    incidents: (integrationId: string) => incidentsOf(database, integrationId),
  };
}
