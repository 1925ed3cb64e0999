import Trash2 from 'lucide-react/icons/trash-2';
import { useState, type ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { ConfirmDialog } from './dialog/confirm-dialog.tsx';

/** Things that give access, such as API tokens, each with a button to revoke it. */
export function RevocableList<Item extends { name: string }>({
  label,
  items,
  keyOf,
  renderDetails,
  warning,
  onRevoke,
}: {
  /** The accessible name of the list. */
  label: string;
  items: readonly Item[];
  keyOf: (item: Item) => string;
  renderDetails: (item: Item) => ReactNode;
  /** What happens to its users. */
  warning: string;
  onRevoke: (item: Item) => Promise<void>;
}) {
  const [revoking, setRevoking] = useState<Item>();
  return (
    <>
      <ul aria-label={label}>
        {items.map((item) => (
          <li
            key={keyOf(item)}
            className="flex items-start justify-between gap-4 border-t border-line py-2 first:border-t-0"
          >
            <div className="min-w-0">
              <bdi className="font-medium break-words">{item.name}</bdi>
              {renderDetails(item)}
            </div>
            <IconButton label={`Revoke ${item.name}`} onClick={() => setRevoking(item)}>
              <Trash2 size={15} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
      {revoking && (
        <ConfirmDialog
          title={`Revoke ${revoking.name}?`}
          action="Revoke"
          onConfirm={() => onRevoke(revoking)}
          onClose={() => setRevoking(undefined)}
        >
          <p>{warning}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
