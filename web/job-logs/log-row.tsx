import ChevronRight from 'lucide-react/icons/chevron-right';
import type { VirtualItem } from '@tanstack/react-virtual';
import type { JobLogLine, LogSection } from '#contract/failures/job-log.ts';
import { errorLine, LineText } from '../failures/line-text.tsx';
import { formatNumber } from '../ui/locale.ts';
import { clip } from '../ui/text/clip.ts';
import { markFound } from './mark-found.ts';

export interface LogRowProps {
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
export function LogRow({ row, measure, isTarget, isError, onTarget, ...props }: LogRowProps) {
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
