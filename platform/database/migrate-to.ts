import { readdir } from 'node:fs/promises';
import type pg from 'pg';
import { applyNew, listApplied, migrationsDirectory, withAdvice } from './migrate.ts';

/** Whether this version knows the schema that results from these migrations. */
export async function knowsMigrations(names: readonly string[]): Promise<boolean> {
  const files = (await readdir(migrationsDirectory)).toSorted();
  return names.every((name, index) => files[index] === `${name}.sql`);
}

/** Applies these migrations, the first ones of this version. False when the database has others already. */
export async function migrateTo(owner: pg.Client, names: readonly string[]): Promise<boolean> {
  const applied = await listApplied(owner);
  if (applied.length > 0) return applied.join() === names.join();
  await applyNew(owner, names.length).catch((error: unknown) => {
    throw withAdvice(error);
  });
  return true;
}
