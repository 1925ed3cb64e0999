import { useMemo } from 'react';
import ChevronRight from 'lucide-react/icons/chevron-right';
import type { VirtualItem } from '@tanstack/react-virtual';
import type { JobLog, JobLogLine, LogSection } from '#contract/failures/job-log.ts';
import { Button } from '../ui/button.tsx';
import { formatNumber } from '../ui/locale.ts';
import { errorLine, LineText } from '../failures/line-text.tsx';
import { clip } from '../ui/text/clip.ts';
import { useLogLines } from './use-job-log.ts';
import type { LogRows } from './use-log-rows.ts';
import type { OpenLog } from './use-open-log.ts';
import { markFound } from './mark-found.ts';

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

interface LogRowProps {
  row: VirtualItem;
  measure: (row: Element | null) => void;
  number: number;
  /** Undefined while it loads. */
  line: JobLogLine | undefined;
  /** The step or group that begins with the line. */
  section: LogSection | undefined;
  isFolded: boolean;
  isTarget: boolean;
  /** It reports an error. */
  isError: boolean;
  q: string;
  isWrapped: boolean;
  onToggle: (line: number) => void;
  onTarget: (line: number) => void;
}

/** One line of a log with its number, which is a link to it. */
function LogRow({ row, measure, isTarget, isError, onTarget, ...props }: LogRowProps) {
  const { number, isWrapped } = props;
  const look = isTarget ? 'bg-selected outline-1 -outline-offset-1 outline-accent' : isError ? errorLine : '';
  return (
    <li
      ref={measure}
      data-index={row.index}
      aria-current={isTarget ? 'location' : undefined}
      className={`absolute top-0 left-0 flex min-w-full gap-1 pr-4 ${isWrapped ? 'w-full' : ''} ${look}`}
      style={{ transform: `translateY(${row.start}px)` }}
    >
      <a
        href={`?line=${number}`}
        className={`w-12 shrink-0 text-right select-none hover:text-text md:w-16 ${isError ? 'text-failed' : 'text-faint'}`}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          onTarget(number);
        }}
      >
        <span className="sr-only">{isError ? 'Error in line' : 'Line'} </span>
        {formatNumber(number)}
      </a>
      <Fold {...props} />
      <Line {...props} />
    </li>
  );
}

/** Hides the other lines of the section. */
function Fold({
  number,
  section,
  isFolded,
  onToggle,
}: Pick<LogRowProps, 'number' | 'section' | 'isFolded' | 'onToggle'>) {
  const isSection = section !== undefined && section.to > section.from;
  return (
    <span className="w-5 shrink-0">
      {isSection && (
        <button
          type="button"
          aria-expanded={!isFolded}
          aria-label={`${section.kind === 'step' ? 'Step' : 'Group'} ${clip(section.title)}`}
          className="flex size-5 items-center justify-center text-muted hover:text-text"
          onClick={() => onToggle(number)}
        >
          <ChevronRight size={13} aria-hidden className={isFolded ? '' : 'rotate-90'} />
        </button>
      )}
    </span>
  );
}

function Line({ line, section, q, isWrapped }: Pick<LogRowProps, 'line' | 'section' | 'q' | 'isWrapped'>) {
  const { text = '', spans: [first = { text }, ...others] = [], time } = line ?? {};
  const [command = '', name = ''] = startOfCommand.exec(first.text) ?? [];
  const spans = [{ ...first, text: first.text.slice(command.length) }, ...others];
  const wrap = isWrapped ? 'min-w-0 wrap-anywhere whitespace-pre-wrap' : 'whitespace-pre';
  return (
    <span
      title={time?.replace('T', ' ').replace('Z', ' UTC')}
      className={`${wrap} ${commandLooks[name] ?? ''} ${section === undefined ? '' : 'font-semibold'}`}
    >
      <LineText spans={text.length === command.length ? [] : markFound(spans, q)} />
    </span>
  );
}

/** A command to the runner, which is not part of the text. */
const startOfCommand = /^##\[(group|endgroup|error|warning|notice|debug|command|section)\]/;

const commandLooks: Readonly<Record<string, string>> = {
  error: 'text-failed',
  warning: 'text-running',
  debug: 'text-muted',
};
