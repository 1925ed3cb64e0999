import type { Tx } from '#platform/database/database.ts';
import { encodeOutcome, type Outcome } from './outcome-codes.ts';
import { insertOutcomes } from './outcome-store.ts';

/**
 * Records the outcomes of a batch inside its transaction: one statement that is not awaited, one row per integration. Skips
 * messages that are not in the log, such as those of an SQS event source.
 */
export function recordOutcomes(
  tx: Tx,
  outcomes: readonly ({ messageId: string; integrationId: string } & Outcome)[],
): void {
  const stored = outcomes.filter(({ messageId }) => /^\d{1,18}$/.test(messageId));
  const rows = [...Map.groupBy(stored, ({ integrationId }) => integrationId)].map(([integrationId, own]) => ({
    integrationId,
    seqs: own.map(({ messageId }) => messageId),
    codes: own.map(encodeOutcome),
  }));
  if (rows.length > 0) insertOutcomes(tx, rows);
}
