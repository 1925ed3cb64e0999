import type { TestDay } from '#contract/tests/tests.ts';
import { formatCount } from '../ui/locale.ts';
import { dayCells, type DayCell } from './day-cells.ts';

const [width, height, gap] = [9, 22, 1];

/** What happened on each of 90 days, on the default branch and on the others. */
export function HistoryStrip({ days }: { days: readonly TestDay[] }) {
  return (
    <div className="flex flex-col gap-3">
      <dl className="flex flex-col gap-3">
        <Strip name="Default branch" cells={dayCells(days, true)} />
        <Strip name="Other branches" cells={dayCells(days, false)} />
      </dl>
      <div className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        <Key look={looks.passed}>passed</Key>
        <Key look={looks.flaky}>passed on a retry</Key>
        <Key look={looks.failed}>failed</Key>
        <Key look={looks.none}>not run</Key>
      </div>
    </div>
  );
}

/** The height differs, too, so that the results differ without colours. */
const looks: Record<DayCell['result'], { className: string; share: number }> = {
  passed: { className: 'fill-passed', share: 0.35 },
  flaky: { className: 'fill-running', share: 0.65 },
  failed: { className: 'fill-failed', share: 1 },
  none: { className: 'fill-line-strong', share: 0.1 },
};

function Strip({ name, cells }: { name: string; cells: readonly DayCell[] }) {
  const label = textOf(cells);
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="min-w-0">
        <span className="sr-only">{label}</span>
        <svg
          aria-hidden
          viewBox={`0 0 ${cells.length * (width + gap)} ${height}`}
          preserveAspectRatio="none"
          className="history-strip h-6 w-full max-w-4xl"
        >
          {cells.map(({ day, result, text }, at) => (
            <rect
              key={day}
              x={at * (width + gap)}
              y={height * (1 - looks[result].share)}
              width={width}
              height={height * looks[result].share}
              className={looks[result].className}
            >
              <title>{text}</title>
            </rect>
          ))}
        </svg>
      </dd>
    </div>
  );
}

function textOf(cells: readonly DayCell[]): string {
  const count = (result: DayCell['result']): number => cells.filter((cell) => cell.result === result).length;
  const failed = formatCount(count('failed'), 'day');
  return `Of ${cells.length} days: failed on ${failed}, passed on a retry on ${count('flaky')}, passed on ${count('passed')}, not run on ${count('none')}`;
}

function Key({ look: { className, share }, children }: { look: (typeof looks)['none']; children: string }) {
  return (
    <span className="inline-flex items-end gap-1.5">
      <svg aria-hidden width={width} height={height * 0.7} className="history-strip shrink-0">
        <rect
          y={height * 0.7 * (1 - share)}
          width={width}
          height={height * 0.7 * share}
          className={className}
        />
      </svg>
      {children}
    </span>
  );
}
