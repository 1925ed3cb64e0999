import { useCallback, useEffect, useRef, useState, type FocusEvent } from 'react';
import type { WorkflowRun } from '#contract/monitoring.ts';
import { useShortcuts } from '../ui/use-shortcuts.ts';

/** The run that was opened from the list: whoever comes back goes on there. */
let openedId: number | undefined;

export function rememberOpened({ runId }: WorkflowRun): void {
  openedId = runId;
}

/** Moves the focus through rows that exist only while they are on screen: `j` and `k`, Escape leaves. */
export function useRowFocus({
  rows,
  firstVisible,
  scrollTo,
}: {
  rows: readonly WorkflowRun[];
  firstVisible: () => number;
  scrollTo: (index: number) => void;
}) {
  const [focusedId, setFocusedId] = useState<number>();
  const focusedIndex = focusedId === undefined ? -1 : rows.findIndex(({ runId }) => runId === focusedId);
  const wantedId = useRef(openedId);
  useEffect(() => {
    openedId = undefined;
  }, []);

  // A row that was scrolled to exists one render later.
  useEffect(() => {
    const link = wantedId.current === undefined ? null : document.getElementById(`run-${wantedId.current}`);
    if (link === null) return;
    wantedId.current = undefined;
    link.focus({ preventScroll: true });
  });

  const move = (step: 1 | -1): void => {
    const last = rows.length - 1;
    const index = focusedIndex === -1 ? firstVisible() : Math.min(Math.max(focusedIndex + step, 0), last);
    const run = rows[index];
    if (run === undefined) return;
    wantedId.current = run.runId;
    setFocusedId(run.runId);
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
    /** The row that must stay rendered, and in its place, because somebody reads it by keyboard; else -1. */
    focusedIndex,
    onFocus: useCallback(
      ({ target }: FocusEvent, { runId }: WorkflowRun) =>
        setFocusedId(target.matches(':focus-visible') ? runId : undefined),
      [],
    ),
    onBlur: useCallback(() => setFocusedId(undefined), []),
  };
}
