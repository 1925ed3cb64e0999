import { useState } from 'react';
import type { ChangeGroupBody, FailureGroup } from '#contract/failures/failures.ts';
import { sendJson } from '../../api/client.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';
import { useSave } from '../../ui/use-save.ts';
import { groupsPath } from './groups-path.ts';

/** Edits the note of a status, which stays. */
export function NoteDialog({
  integrationId,
  group: { groupId, status, ignoredUntil, note: before },
  onClose,
}: {
  integrationId: string;
  group: FailureGroup;
  onClose: () => void;
}) {
  const [note, setNote] = useState(before ?? '');
  const path = groupsPath(integrationId);
  const save = useSave({
    path,
    send: () => {
      const until = ignoredUntil === null ? {} : { until: ignoredUntil };
      const body: ChangeGroupBody = { status, ...until, note: note.trim() };
      return sendJson('PATCH', `${path}/${groupId}`, body);
    },
    done: 'Note saved',
    onSaved: onClose,
  });
  return (
    <Dialog title="Note on this failure" onClose={onClose}>
      <Form submit="Save note" request={save} onSubmit={() => save.mutate()} onCancel={onClose}>
        <TextField
          name="note"
          label="Note"
          hint="Everybody in the integration sees it, and the event log records it. A new status removes it."
          maxLength={500}
          value={note}
          onChange={({ target }) => setNote(target.value)}
        />
      </Form>
    </Dialog>
  );
}
