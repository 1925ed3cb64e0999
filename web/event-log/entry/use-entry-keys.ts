import { useEffect, useRef } from 'react';
import type { LogEntry } from '#contract/deliveries/event-log.ts';
import { stepWithin } from '../../ui/keyboard/step-through.ts';
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts';

export const paneId = 'open-entry';
export const rowId = (entryId: string): string => `entry-${entryId}`;

/**
 * `j` and `k` move between rows, or between entries while one is open. Escape closes the entry. The focus follows.
 */
export function useEntryKeys({
  entries,
  openId,
  onOpen,
  onClose,
}: {
  entries: readonly LogEntry[];
  openId: string | undefined;
  onOpen: (entryId: string) => void;
  onClose: () => void;
}): void {
  const move = (step: 1 | -1): void => {
    if (openId === undefined) return focusRow(step);
    const index = entries.findIndex(({ entryId }) => entryId === openId);
    const next = index === -1 ? undefined : entries[index + step];
    if (next !== undefined) onOpen(next.entryId);
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    Escape: () => (openId === undefined ? leaveRow() : onClose()),
  });
  const before = useRef(openId);
  useEffect(() => {
    if (before.current === openId) return;
    if (openId === undefined) row(before.current)?.focus();
    else {
      row(openId)?.scrollIntoView({ block: 'nearest' });
      document.getElementById(paneId)?.focus({ preventScroll: true });
    }
    before.current = openId;
  }, [openId]);
}

function row(entryId: string | undefined): HTMLElement | null {
  return entryId === undefined ? null : document.getElementById(rowId(entryId));
}

function focusRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-log-row]')];
  const index = rows.findIndex((each) => each === document.activeElement);
  rows[stepWithin(rows.length, index, step)]?.focus();
}

function leaveRow(): void {
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && activeElement.matches('[data-log-row]')) activeElement.blur();
}
