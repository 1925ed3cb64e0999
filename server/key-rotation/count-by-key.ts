import { openDatabase, type Database, type Tx } from '#platform/database/database.ts';
import type { RowScope } from '#platform/database/scope.ts';
import { headsAtOnce, listHeads, listIntegrations, type Head, type Row } from './rotation-store.ts';
import { sealedColumns, type SealedColumn } from './sealed-columns.ts';

/** Integrations in scope at once. */
const integrationsAtOnce = 200;

/** Opens the database as its owner. No role of the service sees all integrations, and none may change what others sealed. */
export async function withOwnerDatabase<T>(
  databaseUrl: string,
  work: (owner: Database) => Promise<T>,
): Promise<T> {
  const connection = { connectionString: databaseUrl };
  const owner = openDatabase({ connection, maxConnections: 1, onIdleError: () => {} });
  return work(owner).finally(() => owner.close());
}

/** The scopes in which the owner sees all values of a column. Row-level security is forced for the owner too. */
export async function scopesOf(owner: Database, { key }: SealedColumn): Promise<RowScope[]> {
  if (!('integration_id' in key)) return ['service'];
  const ids = await owner.withScope('service', listIntegrations);
  return Array.from({ length: Math.ceil(ids.length / integrationsAtOnce) }, (_, index) => ({
    integrationIds: ids.slice(index * integrationsAtOnce, (index + 1) * integrationsAtOnce),
  }));
}

/** The heads of all values in a scope, in short transactions. */
export async function* headsOf(
  owner: Database,
  scope: RowScope,
  column: SealedColumn,
): AsyncGenerator<Head[]> {
  let after: Row | undefined;
  let heads: Head[];
  do {
    heads = await owner.withScope(scope, (tx: Tx) => listHeads(tx, column, after));
    after = heads.at(-1)?.row;
    yield heads;
  } while (heads.length === headsAtOnce);
}

/** The id of the key that sealed a value. */
export const keyIdOfHead = ({ header }: Head): string => header.toString('hex', 0, 4);

/** How many values of a column each key has sealed, by the id of the key. */
export interface ColumnCount {
  column: SealedColumn;
  byKey: Map<string, number>;
}

export async function countByKey(owner: Database, signal?: AbortSignal): Promise<ColumnCount[]> {
  const counts: ColumnCount[] = [];
  for (const column of sealedColumns) {
    const byKey = new Map<string, number>();
    for (const scope of await scopesOf(owner, column))
      for await (const heads of headsOf(owner, scope, column)) {
        signal?.throwIfAborted();
        for (const head of heads) byKey.set(keyIdOfHead(head), (byKey.get(keyIdOfHead(head)) ?? 0) + 1);
      }
    counts.push({ column, byKey });
  }
  return counts;
}

/** The number of values of a column that one of the keys has sealed. */
export function sealedBy({ byKey }: ColumnCount, isKey: (keyId: string) => boolean): number {
  return [...byKey].reduce((sum, [keyId, count]) => (isKey(keyId) ? sum + count : sum), 0);
}
