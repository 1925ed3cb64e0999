import { useMemo } from 'react';
import type { JobLog } from '#contract/failures/job-log.ts';
import { Button } from '../ui/button.tsx';
import { formatNumber } from '../ui/locale.ts';
import { LogRow } from './log-row.tsx';
import { useLogLines } from './use-job-log.ts';
import type { LogRows } from './use-log-rows.ts';
import type { OpenLog } from './use-open-log.ts';

/** The lines of a log. Only those in view are loaded and rendered. */
export function LogView({ log, open, rows }: { log: JobLog; open: OpenLog; rows: LogRows }) {
  const { path, errors, target, q, isWrapped, goTo } = open;
  const { scroller, lineAt, virtualizer, folded, toggle, noteScroll } = rows;
  const items = virtualizer.getVirtualItems();
  const lineOf = useLogLines(path, {
    from: lineAt(items[0]?.index ?? 0),
    to: lineAt(items.at(-1)?.index ?? 0),
    total: log.lines,
  });
  // A group that begins with its step is folded with it.
  const sections = useMemo(
    () => new Map(log.sections.toReversed().map((one) => [one.from, one])),
    [log.sections],
  );
  const inError = useMemo(() => new Set(errors), [errors]);
  return (
    <div className="flex min-h-0 grow flex-col">
      <Part rows={rows} />
      <section
        ref={scroller}
        aria-label="Lines of the log"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling box needs it
        tabIndex={0}
        className="min-h-0 grow overflow-auto bg-canvas font-mono text-xs leading-5 -outline-offset-2"
        onScroll={noteScroll}
      >
        <ol
          className={`relative ${isWrapped ? 'w-full' : 'w-max min-w-full'}`}
          style={{ height: virtualizer.getTotalSize() }}
        >
          {items.map((row) => {
            const number = lineAt(row.index);
            return (
              <LogRow
                key={number}
                row={row}
                measure={virtualizer.measureElement}
                number={number}
                line={lineOf(number)}
                section={sections.get(number)}
                isFolded={folded.has(number)}
                isTarget={number === target?.line}
                isError={inError.has(number)}
                q={q}
                isWrapped={isWrapped}
                onToggle={toggle}
                onTarget={goTo}
              />
            );
          })}
        </ol>
      </section>
    </div>
  );
}

/** Which part of a log is shown that is too long for one. */
function Part({ rows: { first, count, total, showFrom } }: { rows: LogRows }) {
  if (count === total) return null;
  const end = first + count;
  return (
    <p className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-1 text-xs text-muted">
      Rows {formatNumber(first + 1)} to {formatNumber(end)} of {formatNumber(total)}
      <Button
        reason={first === 0 ? 'This is the first part' : undefined}
        onClick={() => showFrom(first - count)}
      >
        Earlier lines
      </Button>
      <Button reason={end === total ? 'This is the last part' : undefined} onClick={() => showFrom(end)}>
        Later lines
      </Button>
    </p>
  );
}
