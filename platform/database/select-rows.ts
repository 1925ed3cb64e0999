import type { QueryConfig } from 'pg';
import type { Tx } from './database.ts';
import { rawText, readRow, type Table } from './multi-row.ts';

interface Query {
  name?: string;
  text: string;
  values: unknown[];
}

/** The columns of `table`, in its order, as rows. */
export async function selectRows<Row>(tx: Tx, table: Table<Row>, query: Query): Promise<Row[]> {
  return (await selectTexts(tx, query)).map((texts) => readRow(table, texts));
}

/** Rows as the texts that Postgres sends. */
export async function selectTexts(tx: Tx, query: Query): Promise<(string | null)[][]> {
  const result = await tx.query({ ...query, rowMode: 'array', types: rawText } as QueryConfig);
  return result.rows as unknown as (string | null)[][];
}
