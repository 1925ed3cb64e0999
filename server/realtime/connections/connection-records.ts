import type { Database, Tx } from '#platform/database/database.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { makeBatcher } from '#platform/runtime/tasks/batcher.ts';
import type { RealtimePolicy } from '../policy.ts';
import {
  deleteConnections,
  insertConnections,
  listSignedOut,
  useTokens,
  type RecordedRow,
  type RecordKey,
  type SignIn,
  type WantedRecord,
} from './connection-store.ts';
import type { Position } from '../sockets/stream.ts';

export interface ConnectRequest extends SignIn {
  integrationIds: readonly string[];
  /** Set when the token may be used only once. */
  use?: { jti: string; expiresAt: Date };
}

export type ConnectOutcome =
  | { outcome: 'recorded'; positions: Map<string, Position> }
  | { outcome: 'token-used' }
  | { outcome: 'signed-out' };

interface RecordedConnection {
  readonly id: string;
  readonly userId: string;
  readonly integrationIds: readonly string[];
}

export interface ConnectionRecords {
  /** Records those of the requested integrations that current memberships allow, possibly none. */
  connect(request: ConnectRequest): Promise<ConnectOutcome>;
  /** Removes a connection's records in the background. */
  disconnect(connection: { id: string; integrationIds: Iterable<string> }): void;
  /** Restores lost records of these connections. */
  rewrite(connections: ReadonlySet<RecordedConnection>): Promise<void>;
  /** Resolves when all requested removals were tried. */
  settled(): Promise<void>;
}

export interface RecordsDeps extends Pick<SharedDeps, 'db' | 'log'> {
  nodeId: string;
  policy: RealtimePolicy;
  /** Restores the node's own row when it is missing. */
  renewNode(): Promise<void>;
}

const foreignKeyViolation = '23503';

export function makeConnectionRecords(deps: RecordsDeps): ConnectionRecords {
  const { db, log, nodeId, policy } = deps;

  const limits = {
    maxWeight: policy.recordsPerStatement,
    weigh: ({ integrationIds }: { integrationIds: readonly string[] }) => 1 + integrationIds.length,
  };

  const connect = makeBatcher<ConnectRequest, ConnectOutcome>({
    ...limits,
    work: (requests) =>
      record(db, nodeId, requests).catch(async (error: { code?: unknown }) => {
        if (error.code !== foreignKeyViolation) throw error;
        await deps.renewNode();
        return record(db, nodeId, requests);
      }),
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
    rewrite: async (connections) => {
      const snapshot = [...connections];
      const wanted = snapshot.flatMap(({ id, userId, integrationIds }) =>
        wantedOf({ connectionId: id, userId, integrationIds }),
      );
      for (let start = 0; start < wanted.length; start += policy.recordsPerStatement) {
        const part = wanted.slice(start, start + policy.recordsPerStatement);
        await db.withScope(scopeOf(part), (tx) => insertConnections(tx, nodeId, part));
      }
      // A connection may have closed before its records were restored.
      for (const connection of snapshot) if (!connections.has(connection)) remove(connection);
    },
    settled: disconnect.idle,
  };
}

async function record(
  db: Database,
  nodeId: string,
  requests: readonly ConnectRequest[],
): Promise<ConnectOutcome[]> {
  const wanted = requests.flatMap(wantedOf);
  return db.withScope(scopeOf(wanted), async (tx) => {
    const [ended, used] = await Promise.all([listSignedOut(tx, requests), refuseUsedTokens(tx, requests)]);
    const refused = new Map<string, 'token-used' | 'signed-out'>();
    for (const { connectionId } of requests) {
      if (ended.has(connectionId)) refused.set(connectionId, 'signed-out');
      else if (used.has(connectionId)) refused.set(connectionId, 'token-used');
    }
    const allowed = wanted.filter(({ connectionId }) => !refused.has(connectionId));
    const rows = allowed.length === 0 ? [] : await insertConnections(tx, nodeId, allowed);
    const byConnection = Map.groupBy(rows, (row) => row.connection_id);
    return requests.map(({ connectionId }): ConnectOutcome => {
      const outcome = refused.get(connectionId);
      return outcome === undefined
        ? { outcome: 'recorded', positions: positionsOf(byConnection.get(connectionId) ?? []) }
        : { outcome };
    });
  });
}

/** Returns the connections whose token was already used. */
async function refuseUsedTokens(tx: Tx, requests: readonly ConnectRequest[]): Promise<Set<string>> {
  const uses = requests.flatMap(({ connectionId, use }) =>
    use === undefined ? [] : [{ connectionId, ...use }],
  );
  if (uses.length === 0) return new Set();
  const first = await useTokens(tx, uses);
  return new Set(uses.map(({ connectionId }) => connectionId).filter((id) => !first.has(id)));
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
