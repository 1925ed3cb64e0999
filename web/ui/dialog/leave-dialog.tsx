import { Button } from '../button.tsx';
import { Dialog } from './dialog.tsx';

export interface LeaveQuestion {
  title: string;
  text: string;
  /** The button that leaves. */
  action: string;
  dismiss: string;
}

/** Asks whether to leave the page. */
export function LeaveDialog({
  title,
  text,
  action,
  dismiss,
  onLeave,
  onStay,
}: LeaveQuestion & { onLeave: () => void; onStay: () => void }) {
  return (
    <Dialog title={title} leaving="closes" onClose={onStay}>
      <p>{text}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        <Button variant="danger" onClick={onLeave}>
          {action}
        </Button>
        <Button onClick={onStay}>{dismiss}</Button>
      </div>
    </Dialog>
  );
}
