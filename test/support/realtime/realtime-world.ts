import type { WorkflowRun } from '#contract/runs/runs.ts';
import type { Tx } from '#platform/database/database.ts';
import type { LoadUpdates } from '#server/realtime/outbox/read-missed.ts';
import { readStreamPosition } from '#server/realtime/outbox/read-position.ts';
import { appendUpdates, lockStreams, type CommittedUpdate } from '#server/realtime/outbox/append-updates.ts';
import { someRun } from '#test/support/data/some-run.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database/test-database.ts';
import { makeMember } from '#test/support/team/people.ts';
import { startNode, type NodeOptions, type TestNode } from './realtime-node.ts';

/** Whose socket it is, and the integrations that its token names. */
export interface Grant {
  userId: string;
  integrationIds: string[];
}

/** A database of its own and what nodes read from it: integrations, members, updates and the runs that they point to. */
export interface RealtimeWorld {
  database: TestDatabase;
  truth: Truth;
  /** An integration without members. */
  insertIntegration(integrationId?: string): Promise<string>;
  /** A new member of these integrations. */
  newGrant(...integrationIds: string[]): Promise<Grant>;
  /** An integration with one member. */
  newIntegration(): Promise<{ integrationId: string; grant: Grant }>;
  /** Stores updates as a worker does, and answers what it would push. */
  store(runs: readonly WorkflowRun[]): Promise<CommittedUpdate[]>;
  /** Of the stream as it is now. */
  readEpoch(integrationId: string): Promise<string>;
  startNode(options?: NodeOptions): Promise<TestNode>;
}

export async function createRealtimeWorld(): Promise<RealtimeWorld> {
  const database = await createTestDatabase();
  const truth = makeTruth();
  const newGrant: RealtimeWorld['newGrant'] = async (...integrationIds) => ({
    userId: await makeMember(database, integrationIds),
    integrationIds,
  });
  return {
    database,
    truth,
    insertIntegration: (integrationId) => insertIntegration(database, integrationId),
    newGrant,
    newIntegration: async () => {
      const integrationId = await insertIntegration(database);
      return { integrationId, grant: await newGrant(integrationId) };
    },
    store: (runs) => storeUpdates(database, truth, runs),
    readEpoch: async (integrationId) => {
      const position = (tx: Tx) => readStreamPosition(tx, integrationId);
      return (await database.api.withScope({ integrationId }, position)).epoch;
    },
    startNode: (options) => startNode(database, { loadUpdates: truth.loadUpdates, ...options }),
  };
}

/** What a store of runs would hold: the latest state of each run, for nodes that catch up. */
export interface Truth {
  runs: Map<string, WorkflowRun>;
  loadUpdates: LoadUpdates;
}

function makeTruth(): Truth {
  const runs = new Map<string, WorkflowRun>();
  return {
    runs,
    loadUpdates: async (_tx, pointers) =>
      pointers.map(({ integrationId, runId }) => runs.get(`${integrationId}/${runId}`)),
  };
}

async function storeUpdates(
  database: TestDatabase,
  truth: Truth,
  runs: readonly WorkflowRun[],
): Promise<CommittedUpdate[]> {
  const integrationIds = [...new Set(runs.map((run) => run.integrationId))];
  return database.worker.withScope({ integrationIds }, async (tx) => {
    await lockStreams(tx, integrationIds);
    for (const run of runs) truth.runs.set(`${run.integrationId}/${run.runId}`, run);
    const updates = runs.map((data) => ({ type: 'workflow_run' as const, data }));
    return appendUpdates(tx, updates, integrationIds);
  });
}

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** A run as tests push it: the number of the update it comes from is its title. */
export const runOf = (integrationId: string, runId: number, title = ''): WorkflowRun =>
  someRun({ integrationId, runId, title });

export const runsOf = (integrationId: string, count: number, title = ''): WorkflowRun[] =>
  upTo(count).map((runId) => runOf(integrationId, runId, title));
