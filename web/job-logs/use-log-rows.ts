import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { JobLog } from '#contract/failures/job-log.ts';
import { shownLines } from './log-rows.ts';

/** A new object scrolls to the line again. */
export interface LogTarget {
  line: number;
}

export type LogRows = ReturnType<typeof useLogRows>;

/** The row height of `leading-5`. */
const rowPx = 20;
/** Browsers limit the height of an element, Firefox to about 17.8 million pixels. A longer log is shown in parts. */
const mostRows = 750_000;

/** Folding, scrolling to a line, and following the end of a log that grows. */
export function useLogRows(log: JobLog, target: LogTarget | undefined) {
  const { lines, sections } = log;
  const scroller = useRef<HTMLElement>(null);
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const [isAtEnd, setAtEnd] = useState(true);
  const [start, setStart] = useState(0);
  const shown = useMemo(() => shownLines(lines, sections, folded), [lines, sections, folded]);
  const count = Math.min(shown.count, mostRows);
  const first = Math.max(0, Math.min(start, shown.count - count));
  // oxlint-disable-next-line react/incompatible-library -- what it returns is never memoized here
  const virtualizer = useVirtualizer<HTMLElement, Element>({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 20,
    paddingStart: 4,
    paddingEnd: 4,
  });

  const revealed = useRef<LogTarget>(undefined);
  const reveal = useEffectEvent(() => {
    if (target === undefined || target === revealed.current || target.line > lines) return;
    const { line } = target;
    const hiding = sections.filter(({ from, to }) => folded.has(from) && line > from && line <= to);
    if (hiding.length > 0) return setFolded(folded.difference(new Set(hiding.map(({ from }) => from))));
    const row = shown.rowOf(line);
    if (row < first || row >= first + count) return setStart(row - Math.floor(mostRows / 2));
    revealed.current = target;
    virtualizer.scrollToIndex(row - first, { align: 'center' });
  });
  useEffect(() => reveal(), [target, lines, folded, first]);
  const follow = useEffectEvent(() => virtualizer.scrollToIndex(count - 1, { align: 'end' }));
  const isFollowing = log.state === 'live' && isAtEnd && target === undefined;
  useEffect(() => {
    if (isFollowing) follow();
  }, [isFollowing, lines]);
  return {
    scroller,
    virtualizer,
    folded,
    first,
    count,
    total: shown.count,
    lineAt: (row: number): number => shown.lineAt(first + row),
    showFrom: (row: number): void => {
      setStart(Math.max(0, row));
      virtualizer.scrollToIndex(0);
    },
    foldAll: (isFolded: boolean): void =>
      setFolded(new Set(isFolded ? sections.map(({ from }) => from) : [])),
    toggle: (line: number): void => {
      const next = new Set(folded);
      if (!next.delete(line)) next.add(line);
      setFolded(next);
    },
    noteScroll: ({ currentTarget }: { currentTarget: HTMLElement }): void => {
      const { scrollTop, clientHeight, scrollHeight } = currentTarget;
      setAtEnd(scrollHeight - scrollTop - clientHeight < 2 * rowPx);
    },
  };
}
