import type { QueryConfig } from 'pg';
import type { Tx } from '../database.ts';
import { rawText, readRow, type Table } from './multi-row.ts';

interface Query {
  name?: string;
  text: string;
  values: unknown[];
}

/** The query must select the columns of `table` in their order. */
export async function selectRows<Row>(tx: Tx, table: Table<Row>, query: Query): Promise<Row[]> {
  return (await selectTexts(tx, query)).map((texts) => readRow(table, texts));
}

/** Returns rows in Postgres's text format. */
export async function selectTexts(tx: Tx, query: Query): Promise<(string | null)[][]> {
  const result = await tx.query({ ...query, rowMode: 'array', types: rawText } as QueryConfig);
  return result.rows as unknown as (string | null)[][];
}
