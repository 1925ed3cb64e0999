import assert from 'node:assert/strict';
import type { Database, Tx } from '#platform/database/database.ts';
import type { RowScope } from '#platform/database/scope.ts';

export interface Estimate {
  text: string;
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
    const spy: Tx = {
      query: (query, values) => {
        seen.push(
          typeof query === 'object'
            ? { text: query.text, values: query.values ?? [] }
            : { text: query, values: values ?? [] },
        );
        return tx.query(query, values);
      },
    };
    await work(spy);
    for (const { text, values } of seen) {
      const { rows } = await tx.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      estimates.push({ text, plan, cost: Number(/\.\.(\d+\.\d+) rows/.exec(plan)?.[1]) });
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
export function assertCostStays(name: string, few: readonly Estimate[], many: readonly Estimate[]): void {
  for (const [index, { cost, plan }] of many.entries()) {
    const before = few[index]?.cost ?? 0;
    assert.ok(cost <= 2 * before + 50, `${name}: ${before} became ${cost}\n${plan}`);
  }
}
