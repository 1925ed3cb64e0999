import type { SampleData } from '#contract/integrations/integrations.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { findSampleData, lockStream, startRemoval } from './sample-data-store.ts';

export interface RemoveSamplesDeps {
  db: Database;
  /** Ends the connection to the forge of the sample traffic, and no other. */
  disconnect(tx: Tx, integrationId: string): Promise<void>;
  /** Stops what this process sends. */
  stopSending(integrationId: string): void;
}

/**
 * Refuses further sample data of the integration and lets the worker delete what there is (`delete-samples.ts`). Repeating it changes
 * nothing. @throws AppError
 */
export async function removeSamples(deps: RemoveSamplesDeps, actor: Actor): Promise<SampleData> {
  const { integrationId } = actor;
  const data = await withRole(deps.db, actor, 'admin', async (tx) => {
    await lockStream(tx, integrationId);
    if (await startRemoval(tx, integrationId)) {
      await deps.disconnect(tx, integrationId);
      await addLogEntry(tx, {
        ...actor,
        type: 'integration.sample_data_removed',
        severity: 'warning',
        title: 'The sample data was removed',
        details: {},
      });
    }
    return readState(tx, integrationId);
  });
  deps.stopSending(integrationId);
  return data;
}

export function readSampleData(db: Database, integrationId: string): Promise<SampleData> {
  return db.withScope({ integrationId }, (tx) => readState(tx, integrationId));
}

async function readState(tx: Tx, integrationId: string): Promise<SampleData> {
  const row = await findSampleData(tx, integrationId);
  if (row?.isRemoving === true) return { state: 'removing' };
  return { state: row?.isPresent === true ? 'present' : 'none' };
}
