import { useState } from 'react';
import type { FailureGroup } from '#contract/failures/failures.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { Button } from '../../ui/button.tsx';
import { lazyPart } from '../../ui/page/lazy-part.tsx';
import { clip } from '../../ui/text/clip.ts';
import { TimeAgo } from '../../ui/time/time.tsx';
import { dateFormat } from '../../ui/locale.ts';

const shortDate = dateFormat({ dateStyle: 'medium' });

const NoteDialog = lazyPart('note-dialog', 'NoteDialog', () => import('./note-dialog.tsx'));

/** Who set the status, until when, and why. Nothing for an open group. */
export function StatusNote({ integrationId, group }: { integrationId: string; group: FailureGroup }) {
  const { status, statusAt, statusBy, ignoredUntil, note } = group;
  const reason = useRoleReason(integrationId, 'member');
  const [isEditing, setEditing] = useState(false);
  if (status === 'open' || statusAt === null) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
      <span className="min-w-0 wrap-anywhere">
        {statusBy !== null && (
          <>
            by <bdi>{clip(statusBy.name ?? 'a former member', 100)}</bdi>{' '}
          </>
        )}
        <TimeAgo time={statusAt} isFocusable />
        {ignoredUntil !== null && <>, until {shortDate.format(new Date(ignoredUntil))}</>}
        {note !== null && <bdi>: {note}</bdi>}
      </span>
      <Button reason={reason} onClick={() => setEditing(true)}>
        {note === null ? 'Add note…' : 'Edit note…'}
      </Button>
      {isEditing && (
        <NoteDialog integrationId={integrationId} group={group} onClose={() => setEditing(false)} />
      )}
    </div>
  );
}
