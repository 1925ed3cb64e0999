import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { findSampleData, noteSampleData } from './sample-data-store.ts';

/**
 * Call it before sample data is sent. Returns the generation that its deliveries must have.
 * @throws AppError `conflict` while earlier sample data is being removed.
 */
export async function beginSamples(db: Database, integrationId: string): Promise<number> {
  const generation = await db.withScope({ integrationId }, (tx) => noteSampleData(tx, integrationId));
  if (generation !== undefined) return generation;
  throw new AppError('conflict', { detail: 'Sample data is being removed. Try again in a minute.' });
}

/** The generation of the sample data that the integration has; undefined when it has none. */
export async function readSampleGeneration(db: Database, integrationId: string): Promise<number | undefined> {
  const row = await db.withScope({ integrationId }, (tx) => findSampleData(tx, integrationId));
  return row?.isPresent === true && !row.isRemoving ? row.generation : undefined;
}
