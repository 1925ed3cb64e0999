import { useCallback, useEffect, useRef, useState, type FocusEvent } from 'react';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import { stepWithin } from '../../ui/keyboard/step-through.ts';
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts';

/** The last opened run, which gets the focus on return. */
let openedId: number | undefined;

export function rememberOpened({ runId }: WorkflowRun): void {
  openedId = runId;
}

/**
 * Moves the focus through virtual rows with `j` and `k`; Escape leaves. When the focused row leaves the list, the row
 * in its place gets the focus.
 */
export function useRowFocus({
  rows,
  firstVisible,
  scrollTo,
}: {
  rows: readonly WorkflowRun[];
  firstVisible: () => number;
  scrollTo: (index: number) => void;
}) {
  const [focused, setFocused] = useState<{ runId: number; index: number }>();
  const at = focused === undefined ? -1 : rows.findIndex(({ runId }) => runId === focused.runId);
  const focusedIndex = at === -1 && focused ? Math.min(focused.index, rows.length - 1) : at;
  if (focused && (at === -1 || at !== focused.index)) {
    const run = rows[focusedIndex];
    setFocused(run && { runId: run.runId, index: focusedIndex });
  }
  const wantedId = useRef(openedId);
  useEffect(() => {
    openedId = undefined;
  }, []);

  // A row is rendered after scrolling to it. A removed row has lost the focus.
  useEffect(() => {
    const isLost = document.activeElement === document.body;
    const id = wantedId.current ?? (isLost ? focused?.runId : undefined);
    const link = id === undefined ? null : document.getElementById(`run-${id}`);
    if (link === null) return;
    wantedId.current = undefined;
    link.focus({ preventScroll: true });
  });

  const move = (step: 1 | -1): void => {
    const index = focusedIndex === -1 ? firstVisible() : stepWithin(rows.length, focusedIndex, step);
    const run = rows[index];
    if (run === undefined) return;
    wantedId.current = run.runId;
    setFocused({ runId: run.runId, index });
    scrollTo(index);
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    Escape: () => {
      if (focusedIndex !== -1 && document.activeElement instanceof HTMLElement) document.activeElement.blur();
    },
  });

  return {
    /** The focused row, which must stay rendered; else -1. */
    focusedIndex,
    onFocus: useCallback(
      ({ target }: FocusEvent, { runId }: WorkflowRun) =>
        // The index is found when the list renders.
        setFocused(target.matches(':focus-visible') ? { runId, index: -1 } : undefined),
      [],
    ),
    onBlur: useCallback(() => setFocused(undefined), []),
  };
}
