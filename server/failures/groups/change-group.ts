import type { ChangeGroupBody, GroupStatus } from '#contract/failures/failures.ts';
import type { Database } from '#platform/database/database.ts';
import { AppError, invalidField } from '#platform/runtime/app-error.ts';
import { storableText } from '#platform/database/rows/storable-text.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { countStreamChange } from '#server/realtime/outbox/read-position.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import { findGroup, updateStatus } from './group-store.ts';

const verbs: Record<GroupStatus, string> = {
  open: 'reopened',
  acknowledged: 'acknowledged',
  flaky: 'marked as known flaky',
  ignored: 'ignored',
};

const maxNote = 500;
const notSpecific =
  'The error line names no test, file, package or target, so other failures can have the same one. Acknowledge the group instead.';

/** @throws AppError `not_found`; `failure_not_specific`; `invalid_request` when `until` is given without `ignored` */
export async function changeGroup(
  db: Database,
  { integrationId, groupId, userId }: { integrationId: string; groupId: string; userId: string },
  body: ChangeGroupBody,
): Promise<void> {
  if (body.until !== undefined && body.status !== 'ignored')
    throw invalidField('until', 'is only allowed with the status ignored');
  const note = storableText(body.note?.trim(), maxNote);
  const change = { status: body.status, ...(body.until && { until: body.until }), ...(note && { note }) };
  await db.withScope({ integrationId }, async (tx) => {
    const group = await findGroup(tx, integrationId, groupId);
    if (group === undefined) throw new AppError('not_found', { detail: 'Failure group not found.' });
    const isSilenced = body.status === 'flaky' || body.status === 'ignored';
    if (isSilenced && !group.is_specific) throw new AppError('failure_not_specific', { detail: notSpecific });
    await updateStatus(tx, integrationId, groupId, change, userId);
    // Assessments on dashboards depend on the status.
    await countStreamChange(tx, integrationId);
    const names = await readShownNames(tx, [integrationId]);
    const repository = names.repository(integrationId, group.repository);
    await addLogEntry(tx, {
      integrationId,
      type: 'failure.status_changed',
      title: `A failure of ${group.job} in ${repository} was ${verbs[body.status]}`,
      actorId: userId,
      details: { groupId, status: body.status, until: body.until ?? null, note },
    });
  });
}
