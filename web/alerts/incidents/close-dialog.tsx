import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';
import type { Change } from './undo-change.ts';

/** Closes an incident with a note. */
export function CloseDialog({
  name,
  onChange,
  onClose,
}: {
  name: string;
  onChange: (change: Change) => Promise<unknown>;
  onClose: () => void;
}) {
  const [note, setNote] = useState('');
  const close = useMutation({
    mutationFn: () => onChange({ status: 'closed', ...(note.trim() === '' ? {} : { note: note.trim() }) }),
    onSuccess: onClose,
  });
  return (
    <Dialog title="Close the incident?" onClose={onClose}>
      <Form submit="Close incident" request={close} onSubmit={() => close.mutate()} onCancel={onClose}>
        <p>
          <bdi>{name}</bdi> leaves the list. Its next failing run opens a new incident.
        </p>
        <TextField
          name="note"
          label="Note (optional)"
          maxLength={500}
          value={note}
          onChange={({ target }) => setNote(target.value)}
        />
      </Form>
    </Dialog>
  );
}
