import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Button } from '../button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';

export interface ConfirmProps {
  title: string;
  /** The verb on the button. */
  action: string;
  name?: string;
  variant?: 'danger' | 'primary';
  /** The text of the button that does nothing. */
  dismiss?: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  /** The consequences. */
  children: ReactNode;
}

export function ConfirmForm({
  title,
  action,
  name,
  variant = 'danger',
  dismiss = 'Cancel',
  onConfirm,
  onClose,
  children,
}: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const confirm = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const isNamed = name === undefined || typed.trim() === name.trim();
  return (
    <Dialog title={title} leaving="closes" onClose={onClose}>
      <Form
        submit={action}
        variant={variant}
        request={confirm}
        reason={isNamed ? undefined : `Type the name to confirm`}
        onSubmit={() => confirm.mutate()}
        beside={<Button onClick={onClose}>{dismiss}</Button>}
      >
        <div className="flex flex-col gap-2">{children}</div>
        {name !== undefined && (
          <TextField
            name="confirmation"
            label="Type its name to confirm"
            hint={<bdi className="font-mono break-all">{name}</bdi>}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
      </Form>
    </Dialog>
  );
}
