import assert from 'node:assert/strict';
import type { Database, Tx } from '#platform/database/database.ts';

/** Runs `work` and returns the plans of all of its statements. */
export async function plansOf(
  db: Database,
  integrationId: string,
  work: (tx: Tx) => Promise<unknown>,
): Promise<string> {
  return db.withScope({ integrationId }, async (tx) => {
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
    assert.ok(seen.length > 0);
    const plans: string[] = [];
    for (const { text, values } of seen) {
      const { rows } = await tx.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    return plans.join('\n');
  });
}
