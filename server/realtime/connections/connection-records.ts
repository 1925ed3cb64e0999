import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { makeBatcher } from '#platform/runtime/tasks/batcher.ts';
import type { RealtimePolicy } from '../policy.ts';
import {
  deleteConnections,
  insertConnections,
  listSignedOut,
  type RecordedRow,
  type RecordKey,
  type SignIn,
  type WantedRecord,
} from './connection-store.ts';
import type { Position } from '../sockets/stream.ts';

export interface ConnectRequest extends SignIn {
  integrationIds: readonly string[];
}

export type ConnectOutcome =
  | { outcome: 'recorded'; positions: Map<string, Position> }
  | { outcome: 'signed-out' };

export interface ConnectionRecords {
  /** Records those of the requested integrations that current memberships allow, possibly none. */
  connect(request: ConnectRequest): Promise<ConnectOutcome>;
  /** Removes a connection's records in the background. */
  disconnect(connection: { id: string; integrationIds: Iterable<string> }): void;
  /** Resolves when all requested removals were tried. */
  settled(): Promise<void>;
}

export interface RecordsDeps extends Pick<SharedDeps, 'db' | 'log'> {
  nodeId: string;
  policy: RealtimePolicy;
}

export function makeConnectionRecords(deps: RecordsDeps): ConnectionRecords {
  const { db, log, policy } = deps;

  const limits = {
    maxWeight: policy.recordsPerStatement,
    weigh: ({ integrationIds }: { integrationIds: readonly string[] }) => 1 + integrationIds.length,
  };

  const connect = makeBatcher<ConnectRequest, ConnectOutcome>({
    ...limits,
    work: (requests) => record(deps, requests),
  });

  const disconnect = makeBatcher<{ id: string; integrationIds: string[] }, void>({
    ...limits,
    work: async (gone) => {
      const keys = gone.flatMap(({ id, integrationIds }) =>
        integrationIds.map((integrationId) => ({ connectionId: id, integrationId })),
      );
      await db.withScope(scopeOf(keys), (tx) => deleteConnections(tx, keys));
      return gone.map(() => undefined);
    },
  });

  const remove = ({ id, integrationIds }: { id: string; integrationIds: Iterable<string> }): void => {
    const ids = [...integrationIds];
    if (ids.length === 0) return;
    disconnect.add({ id, integrationIds: ids }).catch((error: unknown) => {
      // The records are deleted with the node's own row at the latest.
      log.warn({ err: error }, 'connection record removal failed');
    });
  };

  return {
    connect: connect.add,
    disconnect: remove,
    settled: disconnect.idle,
  };
}

async function record(
  { db, nodeId, policy }: RecordsDeps,
  requests: readonly ConnectRequest[],
): Promise<ConnectOutcome[]> {
  const wanted = requests.flatMap(wantedOf);
  return db.withScope(scopeOf(wanted), async (tx) => {
    const signedOut = await listSignedOut(tx, requests);
    const allowed = wanted.filter(({ connectionId }) => !signedOut.has(connectionId));
    const rows = allowed.length === 0 ? [] : await insertConnections(tx, nodeId, allowed, policy.leaseMs);
    const byConnection = Map.groupBy(rows, (row) => row.connection_id);
    return requests.map(({ connectionId }): ConnectOutcome =>
      signedOut.has(connectionId)
        ? { outcome: 'signed-out' }
        : { outcome: 'recorded', positions: positionsOf(byConnection.get(connectionId) ?? []) },
    );
  });
}

function wantedOf({
  connectionId,
  userId,
  integrationIds,
}: Omit<ConnectRequest, 'sessionId' | 'issuedAt'>): WantedRecord[] {
  return integrationIds.map((integrationId) => ({ connectionId, userId, integrationId }));
}

function scopeOf(wanted: readonly RecordKey[]): { integrationIds: string[] } {
  return { integrationIds: [...new Set(wanted.map(({ integrationId }) => integrationId))] };
}

function positionsOf(rows: readonly RecordedRow[]): Map<string, Position> {
  return new Map(
    rows.map(({ integration_id: id, epoch, seq, removals }) => [
      id,
      { epoch, seq: Number(seq), removals: Number(removals) },
    ]),
  );
}
