import type { DeadLetter } from '#contract/deliveries/deliveries.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { useRemove } from '../../ui/use-remove.ts';

export function DropDialog({
  path,
  message,
  onClose,
}: {
  path: string;
  message: DeadLetter;
  onClose: () => void;
}) {
  const remove = useRemove(path);
  return (
    <ConfirmDialog
      title="Drop this message?"
      action="Drop"
      onConfirm={() => remove('Message dropped', message.messageId)}
      onClose={onClose}
    >
      <p>Its event will be missing. The forge does not send it again automatically.</p>
    </ConfirmDialog>
  );
}
