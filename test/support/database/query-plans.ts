import assert from 'node:assert/strict';
import { txOf, type Database, type Tx } from '#platform/database/database.ts';
import type { TestDatabase } from './test-database.ts';
import type { RowScope } from '#platform/database/scope.ts';

export interface Estimate {
  text: string;
  values: readonly unknown[];
  plan: string;
  /** What the planner expects, in its unit. */
  cost: number;
}

const undone = new Error('undone');

/** Runs `work`, estimates each of its statements and takes its changes back. */
export async function estimatesOf(
  db: Pick<Database, 'withScope'>,
  scope: RowScope,
  work: (tx: Tx) => Promise<unknown>,
): Promise<Estimate[]> {
  const estimates: Estimate[] = [];
  const running = db.withScope(scope, async (tx) => {
    const seen: { text: string; values: unknown[] }[] = [];
    const spy = txOf((query, values) => {
      seen.push(
        typeof query === 'object'
          ? { text: query.text, values: query.values ?? [] }
          : { text: query, values: values ?? [] },
      );
      return tx.query(query, values);
    });
    await work(spy);
    for (const { text, values } of seen) {
      const { rows } = await tx.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      estimates.push({ text, values, plan, cost: Number(/\.\.(\d+\.\d+) rows/.exec(plan)?.[1]) });
    }
    throw undone;
  });
  await assert.rejects(running, undone);
  assert.ok(estimates.length > 0, 'no statement was run');
  return estimates;
}

/** The plans of all statements of `work`, as one text. */
export async function plansOf(
  db: Pick<Database, 'withScope'>,
  integrationId: string,
  work: (tx: Tx) => Promise<unknown>,
): Promise<string> {
  const estimates = await estimatesOf(db, { integrationId }, work);
  return estimates.map(({ plan }) => plan).join('\n');
}

/** Fails for a statement that reads all rows of a table that grows. `small` names the others. */
export function assertIndexed(estimates: readonly Estimate[], small: readonly string[]): void {
  for (const { plan } of estimates)
    for (const [, table = ''] of plan.matchAll(/Seq Scan on (\w+)/g)) assert.ok(small.includes(table), plan);
}

/** Fails for a statement whose cost grows with the tables. `many` was estimated with ten times the rows of `few`. */
function assertCostStays(name: string, few: readonly Estimate[], many: readonly Estimate[]): void {
  for (const [index, { cost, plan }] of many.entries()) {
    const before = few[index]?.cost ?? 0;
    assert.ok(cost <= 2 * before + 50, `${name}: ${before} became ${cost}\n${plan}`);
  }
}

/**
 * Fails for a statement that reads all rows of a table that grows, or costs more with ten times the rows that `fill` makes. `small` names
 * the tables that do not grow.
 */
export async function assertScales(
  works: readonly (readonly [name: string, () => Promise<Estimate[]>])[],
  fill: (rows: number) => Promise<void>,
  small: readonly string[],
): Promise<void> {
  await fill(2000);
  const few = new Map<string, Estimate[]>();
  for (const [name, estimate] of works) few.set(name, await estimate());
  await fill(20_000);
  for (const [name, estimate] of works) {
    const many = await estimate();
    assertIndexed(many, small);
    assertCostStays(name, few.get(name) ?? [], many);
  }
}

type Flush = (scope: RowScope, work: (tx: Tx) => Promise<unknown>) => Promise<void>;

/** The rows of a table that `work` updates through `flush`, and how many of them without a write to any index. */
export async function countUpdates(
  { worker, asOwner }: TestDatabase,
  table: string,
  work: (flush: Flush) => Promise<void>,
): Promise<{ all: number; hot: number }> {
  const flush: Flush = (scope, each) =>
    worker.withScope(scope, async (tx) => {
      await each(tx);
      await tx.query('select pg_stat_force_next_flush()');
    });
  const counted = async () => {
    const [row] = await asOwner<{ all: number; hot: number }>(
      'select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = $1',
      [table],
    );
    return row ?? { all: 0, hot: 0 };
  };
  await flush('service', (tx) => tx.query('select 1'));
  const before = await counted();
  await work(flush);
  const after = await counted();
  return { all: after.all - before.all, hot: after.hot - before.hot };
}
