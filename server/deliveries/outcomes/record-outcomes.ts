import type { Tx } from '#platform/database/database.ts';
import { encodeOutcome, type Outcome } from './outcome-codes.ts';
import { insertOutcomes, type OutcomeRow } from './outcome-store.ts';

/**
 * Records the outcomes of a batch inside its transaction: one statement that is not awaited, one row per integration. Skips
 * messages that are not in the log, such as those of an SQS event source.
 */
export function recordOutcomes(
  tx: Tx,
  outcomes: readonly ({ messageId: string; integrationId: string } & Outcome)[],
): void {
  const rows = new Map<string, OutcomeRow>();
  for (const outcome of outcomes) {
    if (!/^\d{1,18}$/.test(outcome.messageId)) continue;
    let row = rows.get(outcome.integrationId);
    if (row === undefined)
      rows.set(outcome.integrationId, (row = { integrationId: outcome.integrationId, seqs: [], codes: [] }));
    row.seqs.push(outcome.messageId);
    row.codes.push(encodeOutcome(outcome));
  }
  if (rows.size > 0) insertOutcomes(tx, [...rows.values()]);
}
