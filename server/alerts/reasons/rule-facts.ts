import type { Tx } from '#platform/database/database.ts';
import {
  needsGroups,
  needsQuarantine,
  type Completion,
  type RuleFilter,
} from '#server/alerts/rules/matching-rules.ts';
import { addGroupFacts } from './group-fact-store.ts';
import { addQuarantineFacts } from './quarantine-fact-store.ts';

/** Adds to each failure what at least one of the rules asks for. */
export async function addRuleFacts<T extends Completion>(
  tx: Tx,
  integrationId: string,
  completions: T[],
  rules: readonly RuleFilter[],
): Promise<T[]> {
  let known = completions;
  if (rules.some(needsGroups)) known = await addGroupFacts(tx, integrationId, known);
  if (rules.some(needsQuarantine)) known = await addQuarantineFacts(tx, integrationId, known);
  return known;
}
