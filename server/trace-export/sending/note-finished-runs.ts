import { lockStreams } from '#server/realtime/outbox/append-updates.ts';
import { findExport } from '../settings-store.ts';
import type { ExportDeps } from './export-runs.ts';
import { insertRunsSince } from './queue-store.ts';

/** Notes the runs that finished since the export of an integration was saved, and since `from`. */
export async function noteFinishedRuns(
  { db, clock, policy }: Pick<ExportDeps, 'db' | 'clock' | 'policy'>,
  integrationId: string,
  from: number,
): Promise<void> {
  await db.withScope({ integrationId }, async (tx) => {
    // Waits for transactions that have stored runs without knowing the export.
    await lockStreams(tx, [integrationId]);
    const saved = await findExport(tx, integrationId);
    if (saved === undefined || !saved.enabled) return;
    // Some forges report times in whole seconds.
    const since = Math.floor(Math.max(from, saved.savedAt.getTime()) / 1000) * 1000;
    const now = clock();
    await insertRunsSince(tx, integrationId, new Date(since), new Date(now), new Date(now + policy.settleMs));
  });
}
