import type { Tx } from '#platform/database/database.ts';
import { branchKey } from '#server/alerts/branches/branch-keys.ts';
import { branchOf } from '#contract/runs/merge-group.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';
import { awaitsReason } from '#server/alerts/reasons/read-reason.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import type { PendingRun } from './pending-store.ts';
import { isFailed } from '#contract/runs/conclusions.ts';
import type { PersonalMail } from './personal-mail.ts';
import { findRecipient, findWaiting, isNewFailure, type Recipient } from './recipient-store.ts';
import { findRun, type RunRow } from './run-store.ts';

/** A run that people are to be notified about. */
export interface Occasion {
  isGreen: boolean;
  branchKey: Buffer;
  run: PersonalMail['run'];
  recipients: Recipient[];
}

/** Undefined when nobody is to be notified; `later` while the reason of the failure is being read. */
export async function readOccasion(
  tx: Tx,
  pendingRun: PendingRun,
  now: number,
  policy: Pick<AlertPolicy, 'newsMs' | 'awaitReasonMs' | 'awaitConclusionMs'>,
): Promise<Occasion | 'later' | undefined> {
  const { integrationId, runId, attempt } = pendingRun;
  const row = await findRun(tx, pendingRun);
  if (row === undefined) return undefined;
  const stored = { ...runOf(row), integrationId, runId };
  const key = branchKey(stored);
  const run = (await readShownNames(tx, [integrationId])).show(integrationId, stored);
  if (row.conclusion === 'success')
    return { isGreen: true, branchKey: key, run, recipients: await findWaiting(tx, pendingRun, key) };
  const isNews = row.at.getTime() >= now - policy.newsMs;
  if (!isFailed(row.conclusion) || row.is_over || !isNews || row.actor === null) return undefined;
  const recipient = await findRecipient(tx, integrationId, row.actor);
  if (recipient === undefined || !(await isNewFailure(tx, pendingRun, key, recipient.user_id)))
    return undefined;
  if (await awaitsReason(tx, integrationId, { runId, attempt, jobId: null }, policy)) return 'later';
  return { isGreen: false, branchKey: key, run, recipients: [recipient] };
}

function runOf(row: RunRow): Omit<PersonalMail['run'], 'integrationId' | 'runId'> {
  const { repository, workflow, title, run_number: number } = row;
  return {
    repository,
    workflow,
    branch: branchOf(row.head_branch, row.head_repository, repository),
    number,
    title,
  };
}
