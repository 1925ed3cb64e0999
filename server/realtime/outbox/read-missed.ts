import type { WorkflowJob, WorkflowRun } from '#contract/runs/runs.ts';
import type { UpdateMessage, UpdateType } from '#contract/runs/realtime.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { listFormerMembers } from '../connections/connection-store.ts';
import { listMissed, type MissedRow } from '../store.ts';
import type { Position } from '../sockets/stream.ts';

export interface UpdatePointer {
  integrationId: string;
  type: UpdateType;
  runId: number;
  attempt: number;
  jobId: number | null;
}

/** Reads the current objects in the requested order; undefined for a deleted one. The scope is set. */
export type LoadUpdates = (
  tx: Tx,
  pointers: readonly UpdatePointer[],
) => Promise<(WorkflowRun | WorkflowJob | undefined)[]>;

/** The updates of an integration after a position. */
export interface Missed {
  counter: Position;
  /** Those of the compared users who are not members. */
  gone: ReadonlySet<string>;
  /** The position after the last of `messages`: the counter, or earlier when truncated by `limit`. */
  head: Position;
  isTruncated: boolean;
  /** In order. Updates whose object or pointer was deleted are missing. */
  messages: UpdateMessage[];
}

/** Users to compare with the memberships if the integration's removal count differs from `removals`. */
export interface Comparison {
  removals: number;
  userIds: readonly string[];
}

/** Reads the updates after each position, at most `limit` per integration, in one snapshot. Omits deleted integrations. */
export async function readMissed(
  { db, loadUpdates }: { db: Database; loadUpdates: LoadUpdates },
  after: ReadonlyMap<string, number>,
  limit: number,
  comparisons: ReadonlyMap<string, Comparison> = new Map(),
): Promise<Map<string, Missed>> {
  const integrationIds = [...after.keys()];
  return db.withScope(
    { integrationIds },
    async (tx) => {
      const rows = await listMissed(tx, after, limit);
      const objects = await loadOnce(tx, rows.filter(isPointer), loadUpdates);
      const gone = await readFormerMembers(tx, rows, comparisons);
      const byIntegration = Map.groupBy(rows, (row) => row.integration_id);
      return new Map(
        [...byIntegration].map(([id, group]) => [
          id,
          { ...missedOf(group, objects, limit), gone: gone.get(id) ?? new Set() },
        ]),
      );
    },
    { snapshot: true },
  );
}

type Objects = ReadonlyMap<string, WorkflowRun | WorkflowJob | undefined>;

/** Reads an object with several updates once. */
async function loadOnce(tx: Tx, rows: readonly MissedRow[], loadUpdates: LoadUpdates): Promise<Objects> {
  const pointers = new Map(rows.map((row) => [keyOf(row), pointerOf(row)]));
  if (pointers.size === 0) return new Map();
  const objects = await loadUpdates(tx, [...pointers.values()]);
  return new Map([...pointers.keys()].map((key, index) => [key, objects[index]]));
}

async function readFormerMembers(
  tx: Tx,
  rows: readonly MissedRow[],
  comparisons: ReadonlyMap<string, Comparison>,
): Promise<Map<string, ReadonlySet<string>>> {
  const counters = new Map(rows.map((row) => [row.integration_id, Number(row.removals)]));
  const members = [...comparisons].flatMap(([integrationId, { removals, userIds }]) =>
    counters.has(integrationId) && counters.get(integrationId) !== removals
      ? userIds.map((userId) => ({ integrationId, userId }))
      : [],
  );
  const gone = members.length === 0 ? [] : await listFormerMembers(tx, members);
  const byIntegration = Map.groupBy(gone, ({ integrationId }) => integrationId);
  return new Map([...byIntegration].map(([id, group]) => [id, new Set(group.map(({ userId }) => userId))]));
}

function missedOf(rows: readonly MissedRow[], objects: Objects, limit: number): Omit<Missed, 'gone'> {
  const pointers = rows.filter(isPointer);
  const isTruncated = pointers.length === limit;
  const [first] = rows;
  const counter = { epoch: first?.epoch ?? '', seq: Number(first?.head), removals: Number(first?.removals) };
  return {
    counter,
    head: isTruncated ? { ...counter, seq: Number(pointers.at(-1)?.seq) } : counter,
    isTruncated,
    messages: pointers.flatMap((row): UpdateMessage[] => {
      const data = objects.get(keyOf(row));
      if (data === undefined) return [];
      const { integration_id: integrationId, epoch, type, at } = row;
      return [{ v: 1, type, integrationId, epoch, seq: Number(row.seq), at: at.toISOString(), data }];
    }),
  };
}

function isPointer(row: MissedRow): boolean {
  return row.seq !== null;
}

function keyOf({ integration_id, type, run_id, attempt, job_id }: MissedRow): string {
  return `${integration_id} ${type} ${run_id} ${attempt} ${job_id}`;
}

function pointerOf({ integration_id, type, run_id, attempt, job_id }: MissedRow): UpdatePointer {
  return {
    integrationId: integration_id,
    type,
    runId: Number(run_id),
    attempt,
    jobId: job_id === null ? null : Number(job_id),
  };
}
