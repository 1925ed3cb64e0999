import { Dialog } from '../ui/dialog.tsx';

export function CommandPalette({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Command" isOpen onOpenChange={(isOpen) => !isOpen && onClose()}>
      <p>Not here yet</p>
    </Dialog>
  );
}
