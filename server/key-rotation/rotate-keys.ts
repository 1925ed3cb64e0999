import type { Database } from '#platform/database/database.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { headerBytes } from '#platform/runtime/secrets/sealing.ts';
import { countByKey, headsOf, keyIdOfHead, scopesOf, sealedBy, type ColumnCount } from './count-by-key.ts';
import { readValues, replaceValues, type Head, type Row } from './rotation-store.ts';
import { nameOf, type SealedColumn } from './sealed-columns.ts';

export interface RotateKeysDeps extends Pick<SharedDeps, 'sealer'> {
  owner: Database;
  /** Ids of the configured keys. The first one seals. */
  keyIds: readonly string[];
  /** Ends the work after the transaction in progress. */
  signal: AbortSignal;
  say(text: string): void;
}

/** Numbers of values, by table and column. */
export interface Rotated {
  reEncrypted: number;
  /** Sealed with a key that is not configured, or damaged. */
  unreadable: Record<string, number>;
  /** Still sealed with another key than the first: they were in use, or a process sealed them meanwhile. */
  left: Record<string, number>;
}

interface Done {
  reEncrypted: number;
  damaged: Map<SealedColumn, number>;
}

/** A value that the service copies meanwhile, such as that of a new dead letter, is found in the next round. */
const mostRounds = 10;

/**
 * Seals everything with the first key that one of the other configured keys has sealed. It may be ended at any time and repeated:
 * a value names its key. The service may run: a value that it changed meanwhile stays as it is.
 */
export async function rotateKeys(deps: RotateKeysDeps): Promise<Rotated> {
  const done: Done = { reEncrypted: 0, damaged: new Map() };
  let counts = await countByKey(deps.owner, deps.signal);
  for (let round = 0; round < mostRounds && counts.some((each) => countRest(deps, each) > 0); round += 1) {
    const before = done.reEncrypted;
    done.damaged.clear();
    for (const count of counts) if (countRest(deps, count) > 0) await rotateColumn(deps, count, done);
    counts = await countByKey(deps.owner, deps.signal);
    if (done.reEncrypted === before) break;
  }
  return { reEncrypted: done.reEncrypted, ...remains(deps, counts, done.damaged) };
}

/** Values of the column that are to be sealed again. */
function countRest({ keyIds: [, ...others] }: RotateKeysDeps, count: ColumnCount): number {
  return sealedBy(count, (id) => others.includes(id));
}

function remains(
  deps: RotateKeysDeps,
  counts: readonly ColumnCount[],
  damaged: ReadonlyMap<SealedColumn, number>,
): Pick<Rotated, 'unreadable' | 'left'> {
  const byName = (numberOf: (count: ColumnCount) => number) =>
    Object.fromEntries(
      counts.flatMap((count) => (numberOf(count) > 0 ? [[nameOf(count.column), numberOf(count)]] : [])),
    );
  const damagedIn = ({ column }: ColumnCount): number => damaged.get(column) ?? 0;
  return {
    unreadable: byName((count) => sealedBy(count, (id) => !deps.keyIds.includes(id)) + damagedIn(count)),
    left: byName((count) => countRest(deps, count) - damagedIn(count)),
  };
}

/** The longest silence while values are sealed. */
const sayEveryMs = 5_000;

async function rotateColumn(deps: RotateKeysDeps, count: ColumnCount, done: Done): Promise<void> {
  const { column } = count;
  const { owner, keyIds, signal, say } = deps;
  const others = keyIds.slice(1);
  const total = countRest(deps, count);
  let sealed = 0;
  let saidAt = Date.now();
  for (const scope of await scopesOf(owner, column))
    for await (const heads of headsOf(owner, scope, column)) {
      const rest = heads.filter((head) => others.includes(keyIdOfHead(head)));
      for (let at = 0; at < rest.length; at += column.atOnce) {
        signal.throwIfAborted();
        const batch = rest.slice(at, at + column.atOnce).map(({ row }) => row);
        const values = await owner.withScope(scope, (tx) => readValues(tx, column, batch));
        const opened = values.flatMap((value) => sealAgain(deps, column, value));
        done.damaged.set(column, (done.damaged.get(column) ?? 0) + values.length - opened.length);
        sealed += await owner.withScope(scope, (tx) => replaceValues(tx, column, opened));
        if (Date.now() < saidAt + sayEveryMs) continue;
        saidAt = Date.now();
        say(`${nameOf(column)}: ${sealed} of ${total}`);
      }
    }
  done.reEncrypted += sealed;
  say(`${nameOf(column)}: ${sealed} of ${total}`);
}

/** Empty when the value cannot be opened. */
function sealAgain(
  { sealer }: Pick<RotateKeysDeps, 'sealer'>,
  column: SealedColumn,
  { row, sealed }: { row: Row; sealed: Buffer },
): (Head & { sealed: Buffer })[] {
  for (const context of column.contexts(row)) {
    const plain = opened(() => sealer.open(sealed, context));
    if (plain !== undefined)
      return [{ row, header: sealed.subarray(0, headerBytes), sealed: sealer.seal(plain, context) }];
  }
  return [];
}

function opened(open: () => Buffer): Buffer | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}
