import { useElementScrollRestoration } from '@tanstack/react-router';
import { defaultRangeExtractor, useVirtualizer, type Range, type Virtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { RunOrder } from '#contract/runs/run-filter.ts';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import { useHeld, useHold } from '../../ui/table/held-rows.tsx';
import { useMedia } from '../../ui/theme/use-media.ts';
import type { RunList } from './run-list.ts';
import { positionOf, type RunKey } from './run-order.ts';
import { useRowFocus } from './use-row-focus.ts';
import { holdRows, type HeldRows } from './hold-rows.ts';

const nothing: ReadonlySet<number> = new Set();
const allOf = (rows: readonly WorkflowRun[]): HeldRows => ({ rows, heldBack: 0, left: nothing });

export const scrollId = 'runs';

/** A printed list ends here. */
const mostPrinted = 500;

/** The same width and heights as in `run-list.css`, where narrow pages use two lines per row. */
const narrowQuery = 'screen and (width < 64rem)';
const sizes = { wide: { row: 34, head: 32 }, narrow: { row: 58, head: 0 } } as const;

/** Space for the exact time below the last row. */
const tipHeight = 32;
/** Not while a finger touches the list. */
const scrolledPx = 4;

/**
 * The visible rows. At the top, new rows appear at once, unless a person points at the list or uses the keyboard. While
 * a person scrolls, the visible rows keep their position.
 */
export function useRunRows({ rows: current, order }: Pick<RunList, 'rows' | 'order'>) {
  const { isHeld, reading } = useHold();
  const { shown, release } = useHeld({
    current,
    isHeld,
    all: allOf,
    hold: (held, latest) => holdRows(held.rows, latest, order),
  });
  const { rows, heldBack, left } = shown;
  const isPrinted = useMedia('print');
  const size = useMedia(narrowQuery) ? sizes.narrow : sizes.wide;
  const restored = useElementScrollRestoration({ id: scrollId })?.scrollY ?? 0;
  const scroller = useRef<HTMLDivElement>(null);
  const latest = useRef<Virtualizer<HTMLDivElement, Element>>(undefined);
  const [isScrolled, setScrolled] = useState(restored > scrolledPx);
  const focus = useRowFocus({
    rows,
    firstVisible: () => latest.current?.range?.startIndex ?? 0,
    scrollTo: (index) => latest.current?.scrollToIndex(index),
  });
  const isReading = isScrolled || focus.focusedIndex !== -1;
  // A new function identity makes the virtualizer measure all rows again.
  const getItemKey = useCallback((index: number) => rows[index]!.runId, [rows]);
  // oxlint-disable-next-line react/incompatible-library -- it is: what it returns is never memoized here
  const virtualizer = useVirtualizer<HTMLDivElement, Element>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => size.row,
    getItemKey,
    scrollMargin: size.head,
    scrollPaddingStart: size.head,
    scrollPaddingEnd: tipHeight,
    paddingEnd: tipHeight,
    overscan: 8,
    initialOffset: restored,
    anchorTo: isReading ? 'end' : 'start',
    rangeExtractor: (range) => (isPrinted ? firstRows(range.count) : withRow(range, focus.focusedIndex)),
    onChange: ({ scrollOffset }) => setScrolled((scrollOffset ?? 0) > scrolledPx),
  });
  useEffect(() => {
    latest.current = virtualizer;
  });
  useEffect(() => virtualizer.measure(), [virtualizer, size]);
  const unseen = useUnseen(rows, order, isReading) + heldBack;
  const { startIndex = 0, endIndex = 0 } = virtualizer.range ?? {};
  // While rows are held, the list has rows that are not shown.
  const inList = (index: number): number => (rows[index] ? positionOf(current, rows[index], order) : 0);
  const inView = { first: inList(startIndex), last: inList(endIndex) };
  const headHeight = size.head;
  return { rows, left, release, reading, scroller, virtualizer, headHeight, focus, unseen, inView };
}

const firstRows = (count: number): number[] => [...Array(Math.min(count, mostPrinted)).keys()];

function withRow(range: Range, index: number): number[] {
  const indexes = defaultRangeExtractor(range);
  if (index === -1 || indexes.includes(index)) return indexes;
  return [...indexes, index].sort((a, b) => a - b);
}

/** The number of rows added above the newest row since scrolling began. */
function useUnseen(rows: readonly WorkflowRun[], order: RunOrder, isReading: boolean): number {
  const [since, setSince] = useState<{ isReading: boolean; newest: RunKey | undefined }>();
  if (since?.isReading !== isReading) setSince({ isReading, newest: rows[0] });
  return isReading && since?.isReading && since.newest ? positionOf(rows, since.newest, order) : 0;
}
