import { useQueryClient } from '@tanstack/react-query';
import type { DeadLetter } from '#contract/deliveries/deliveries.ts';
import { sendJson } from '../../api/client.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { toast } from '../../ui/dialog/toast.ts';

export function DropDialog({
  path,
  message,
  onClose,
}: {
  path: string;
  message: DeadLetter;
  onClose: () => void;
}) {
  const client = useQueryClient();
  return (
    <ConfirmDialog
      title="Drop this message?"
      action="Drop"
      onConfirm={async () => {
        await sendJson('DELETE', `${path}/${message.messageId}`);
        toast('Message dropped');
        await client.invalidateQueries({ queryKey: [path] });
      }}
      onClose={onClose}
    >
      <p>Its event will be missing. The forge does not send it again automatically.</p>
    </ConfirmDialog>
  );
}
