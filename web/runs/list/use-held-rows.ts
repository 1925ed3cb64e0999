import { useCallback, useState, type FocusEvent, type PointerEvent } from 'react';
import type { RunOrder } from '#contract/runs/run-filter.ts';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import { holdRows, type HeldRows } from './hold-rows.ts';

const nothing: ReadonlySet<number> = new Set();
const allOf = (rows: readonly WorkflowRun[]): HeldRows => ({ rows, heldBack: 0, left: nothing });

/** Holds the rows still while a mouse points at them or one has the focus. */
export function useHeldRows(current: readonly WorkflowRun[], order: RunOrder) {
  const [isPointedAt, setPointedAt] = useState(false);
  const [hasFocus, setHasFocus] = useState(false);
  const isHeld = isPointedAt || hasFocus;
  const [state, setState] = useState({ current, isHeld, held: allOf(current) });
  let { held } = state;
  if (state.current !== current || state.isHeld !== isHeld) {
    held = isHeld && state.isHeld ? holdRows(state.held.rows, current, order) : allOf(current);
    setState({ current, isHeld, held });
  }
  return {
    ...held,
    /** Shows the rows that wait. */
    release: useCallback(() => setState((now) => ({ ...now, held: allOf(now.current) })), []),
    /** Events of the list. */
    reading: {
      // A finger leaves the list as soon as it lifts.
      onPointerEnter: ({ pointerType }: PointerEvent) => setPointedAt(pointerType !== 'touch'),
      onPointerLeave: () => setPointedAt(false),
      onFocus: ({ target }: FocusEvent) => setHasFocus(target.matches(':focus-visible')),
      onBlur: () => setHasFocus(false),
    },
  };
}
