import type { NotificationStatus } from '#contract/alerts/incidents.ts';
import type { Tx } from '#platform/database/database.ts';
import type { DeliveryEvaluation, Evaluation } from './evaluation.ts';

/** A success that closes two incidents of one workflow has two evaluations. They are merged into one. */
export async function insertEvaluations(
  tx: Tx,
  integrationId: string,
  evaluations: readonly DeliveryEvaluation[],
): Promise<void> {
  const bySeq = new Map<string, Evaluation>();
  for (const { deliverySeq, evaluation } of evaluations) {
    if (deliverySeq === null) continue;
    const known = bySeq.get(deliverySeq);
    bySeq.set(deliverySeq, known === undefined ? evaluation : merged(known, evaluation));
  }
  if (bySeq.size === 0) return;
  await tx.query({
    name: 'insert-delivery-evaluations',
    text: `insert into delivery_evaluations (integration_id, seq, evaluation)
           select $1, * from unnest($2::bigint[], $3::jsonb[]) on conflict do nothing`,
    values: [integrationId, [...bySeq.keys()], [...bySeq.values()].map((each) => JSON.stringify(each))],
  });
}

function merged(one: Evaluation, other: Evaluation): Evaluation {
  return {
    ...one,
    hasClosedIncident: one.hasClosedIncident || other.hasClosedIncident,
    decisions: [...one.decisions, ...other.decisions],
  };
}

export interface EvaluationRow {
  evaluation: Evaluation;
  evaluated_at: Date;
}

export function findEvaluation(
  tx: Tx,
  integrationId: string,
  seq: string,
): Promise<EvaluationRow | undefined> {
  return tx.row<EvaluationRow>(
    'select evaluation, evaluated_at from delivery_evaluations where integration_id = $1 and seq = $2',
    [integrationId, seq],
  );
}

/** Whether the delivery reported completions that are not evaluated yet. */
export function waitsForRules(tx: Tx, integrationId: string, seq: string): Promise<boolean> {
  return tx.some('select 1 from pending_evaluations where group_id = $1 and delivery_seq = $2 limit 1', [
    integrationId,
    seq,
  ]);
}

/** The names of the rules that still exist. */
export async function findRuleNames(
  tx: Tx,
  integrationId: string,
  ruleIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await tx.query<{ rule_id: string; name: string }>(
    'select rule_id, name from notification_rules where integration_id = $1 and rule_id = any ($2)',
    [integrationId, ruleIds],
  );
  return new Map(rows.map(({ rule_id, name }) => [rule_id, name]));
}

export interface NotificationStatusRow {
  rule_id: string;
  incident_id: string;
  status: NotificationStatus;
  problem: string | null;
}

/** The notifications that an evaluation created: those about its failure, or about the recovery. */
export function listNotificationStatuses(
  tx: Tx,
  integrationId: string,
  incidentIds: readonly string[],
  { runId, attempt, jobId, conclusion }: Evaluation,
): Promise<NotificationStatusRow[]> {
  return tx.rows<NotificationStatusRow>(
    `select rule_id, incident_id, status, problem from notifications
     where integration_id = $1 and incident_id = any ($2)
       and case when $6 then kind = 'recovered' else
         kind in ('opened', 'repeated') and (failure ->> 'runId')::bigint = $3 and (failure ->> 'attempt')::int = $4
         and (failure ->> 'jobId')::bigint is not distinct from $5::bigint end`,
    [integrationId, incidentIds, runId, attempt, jobId, conclusion === 'success'],
  );
}

/** Deletes the oldest rows that are older than `before`. Returns how many. */
export function deleteEvaluations(
  tx: Tx,
  integrationId: string,
  before: Date,
  most: number,
): Promise<number> {
  return tx.execute(
    `delete from delivery_evaluations where integration_id = $1 and evaluated_at < $2 and seq = any (array(
       select seq from delivery_evaluations where integration_id = $1 order by seq limit $3))`,
    [integrationId, before, most],
  );
}
