import type { LogSection } from '#contract/failures/job-log.ts';

/** Which lines are shown when sections are folded. Folded lines are ranges, so that a log of millions of lines costs nothing. */
export interface ShownLines {
  count: number;
  /** The line of a row. */
  lineAt(row: number): number;
  /** The row of a line, or of the first line of the folded section around it. */
  rowOf(line: number): number;
}

/** The first line of a folded section stays visible. */
export function shownLines(
  total: number,
  sections: readonly LogSection[],
  folded: ReadonlySet<number>,
): ShownLines {
  const gaps: { from: number; to: number; before: number }[] = [];
  let hidden = 0;
  for (const { from, to } of sections) {
    if (!folded.has(from) || to <= from) continue;
    const start = Math.max(from + 1, (gaps.at(-1)?.to ?? 0) + 1);
    const end = Math.min(to, total);
    if (end < start) continue;
    gaps.push({ from: start, to: end, before: hidden });
    hidden += end - start + 1;
  }
  return {
    count: Math.max(0, total - hidden),
    lineAt: (row) => {
      const gap = gaps.findLast(({ from, before }) => from - 1 - before <= row);
      return gap === undefined ? row + 1 : row + 1 + gap.before + (gap.to - gap.from + 1);
    },
    rowOf: (line) => {
      const gap = gaps.findLast(({ from }) => from <= line);
      if (gap === undefined) return line - 1;
      return line <= gap.to ? gap.from - 2 - gap.before : line - 1 - gap.before - (gap.to - gap.from + 1);
    },
  };
}
