import { useState, type FocusEvent, type PointerEvent } from 'react';
import { formatNumber } from '../locale.ts';

/** Whether a mouse points at an element or the keyboard focus is in it. What it shows must not move then. */
export function useHold() {
  const [isPointedAt, setPointedAt] = useState(false);
  const [hasFocus, setHasFocus] = useState(false);
  return {
    isHeld: isPointedAt || hasFocus,
    /** Events of the element. */
    reading: {
      // A finger leaves the element as soon as it lifts.
      onPointerEnter: ({ pointerType }: PointerEvent) => setPointedAt(pointerType !== 'touch'),
      onPointerLeave: () => setPointedAt(false),
      onFocus: ({ target }: FocusEvent) => setHasFocus(target.matches(':focus-visible')),
      onBlur: () => setHasFocus(false),
    },
  };
}

/** What is shown of data that changes: all of it, or while it is held what `hold` makes of each change. */
export function useHeld<Data, Shown>({
  current,
  isHeld,
  scope,
  all,
  hold,
}: {
  current: Data;
  isHeld: boolean;
  /** What the person chose to see. Another choice shows all. */
  scope?: string | undefined;
  all: (current: Data) => Shown;
  hold: (shown: Shown, current: Data) => Shown;
}): { shown: Shown; release: () => void } {
  const [state, setState] = useState(() => ({ current, isHeld, scope, shown: all(current) }));
  let { shown } = state;
  if (state.current !== current || state.isHeld !== isHeld || state.scope !== scope) {
    shown = isHeld && state.isHeld && state.scope === scope ? hold(shown, current) : all(current);
    setState({ current, isHeld, scope, shown });
  }
  return {
    shown,
    /** Shows all. */
    release: () => setState((now) => ({ ...now, shown: all(now.current) })),
  };
}

/** The rows in their places with their changes. Rows that are no longer current stay as they were, new ones wait. */
export function keepPlaces<Row>(
  shown: readonly Row[],
  current: readonly Row[],
  keyOf: (row: Row) => string,
): readonly Row[] {
  return shown.map((row) => current.find((other) => keyOf(other) === keyOf(row)) ?? row);
}

/** How many new rows wait, as a button that shows them, above a list in a `relative` element. */
export function NewRows({
  count,
  onShow,
  className,
}: {
  count: number;
  onShow: () => void;
  className: string;
}) {
  if (count === 0) return null;
  return (
    <button
      type="button"
      className={`absolute left-1/2 z-20 -translate-x-1/2 rounded-full bg-accent px-3 py-1 font-medium text-on-accent shadow-float ${className}`}
      onClick={onShow}
    >
      {formatNumber(count)} new
    </button>
  );
}
