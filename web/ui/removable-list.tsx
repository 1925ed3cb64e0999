import Trash2 from 'lucide-react/icons/trash-2';
import { useState, type ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { ConfirmDialog } from './dialog/confirm-dialog.tsx';
import { clip } from './text/clip.ts';

/** Things that a person made, such as API tokens, each with a button that removes it. */
export function RemovableList<Item>({
  label,
  items,
  keyOf,
  nameOf,
  removedAs = nameOf,
  renderDetails,
  action = 'Remove',
  reason,
  warn,
  onRemove,
}: {
  /** The accessible name of the list. */
  label: string;
  items: readonly Item[];
  keyOf: (item: Item) => string;
  nameOf: (item: Item) => string;
  /** What button and question call the item. */
  removedAs?: (item: Item) => string;
  renderDetails: (item: Item) => ReactNode;
  action?: 'Remove' | 'Revoke';
  /** Why this person cannot remove them. */
  reason?: string | undefined;
  /** What happens then. */
  warn: (item: Item) => string;
  onRemove: (item: Item) => Promise<void>;
}) {
  const [removing, setRemoving] = useState<Item>();
  return (
    <>
      <ul aria-label={label}>
        {items.map((item) => (
          <li
            key={keyOf(item)}
            className="flex items-start justify-between gap-4 border-t border-line py-2 first:border-t-0"
          >
            <div className="min-w-0">
              <bdi className="font-medium break-words">{nameOf(item)}</bdi>
              {renderDetails(item)}
            </div>
            <IconButton
              label={`${action} ${removedAs(item)}`}
              reason={reason}
              onClick={() => setRemoving(item)}
            >
              <Trash2 size={15} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
      {removing && (
        <ConfirmDialog
          title={`${action} ${clip(removedAs(removing), 120)}?`}
          action={action}
          onConfirm={() => onRemove(removing)}
          onClose={() => setRemoving(undefined)}
        >
          <p>{warn(removing)}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
