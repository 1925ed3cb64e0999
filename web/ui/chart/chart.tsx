import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import type { Granularity } from '#contract/metrics/metrics.ts';
import { chartUnits, withRoomForBars, type ChartUnit } from './chart-units.ts';
import { stacked } from './stacked.ts';
import { themeColour, useShownTheme } from '../theme/theme-colour.ts';
import { timeFormat } from '../time/time-format.ts';

export interface ChartSeries {
  name: string;
  values: readonly (number | null)[];
  /** A colour token of the theme, for example `--passed`. */
  colour: string;
}

interface ChartProps {
  /** The heading. */
  label: string;
  /** Milliseconds since the epoch, one for each value. */
  times: readonly number[];
  series: readonly ChartSeries[];
  /** Stacked bars or lines. */
  kind: 'stacked' | 'lines';
  unit: ChartUnit;
  /** Hours are in local time, days in UTC. */
  granularity: Granularity;
}

const heightPx = 190;

/** A chart under its heading, with a tooltip and a table of its values. */
export function Chart(props: ChartProps) {
  const [pointed, setPointed] = useState<number>();
  const { label, times, series, kind, unit, granularity } = props;
  const { format } = chartUnits[unit];
  const theme = useShownTheme();
  return (
    <section aria-label={label}>
      <h2 className="pb-2 text-base font-semibold">{label}</h2>
      <figure className="min-w-0">
        <figcaption className="mb-1 flex min-h-5 flex-wrap items-center gap-x-4 text-xs">
          {series.map(({ name, colour, values }) => (
            <span key={name} className="inline-flex items-center gap-1.5">
              <span aria-hidden className="size-2 rounded-xs" style={{ background: `var(${colour})` }} />
              {name}
              {pointed !== undefined && (
                <span className="text-muted">{text(values[pointed] ?? null, format)}</span>
              )}
            </span>
          ))}
          {pointed !== undefined && (
            <span className="ml-auto text-muted">{timeFormat(granularity)(times[pointed] ?? 0)}</span>
          )}
        </figcaption>
        {/* A new key draws the chart again. */}
        <Canvas
          key={JSON.stringify([times, series, kind, granularity, theme])}
          {...props}
          onPoint={setPointed}
        />
        <details className="mt-1">
          <summary className="w-fit cursor-pointer text-xs text-muted">{label} as a table</summary>
          <NumbersTable {...props} />
        </details>
      </figure>
    </section>
  );
}

function Canvas({
  times,
  series,
  kind,
  unit,
  granularity,
  onPoint,
}: ChartProps & { onPoint: (index: number | undefined) => void }) {
  const place = useRef<HTMLDivElement>(null);
  const first = useRef({ times, series, kind, unit, granularity, onPoint });
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const plot = draw(element, first.current);
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: heightPx }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, []);
  return <div ref={place} aria-hidden className="h-[190px] w-full" />;
}

type DrawOptions = Pick<ChartProps, 'times' | 'series' | 'kind' | 'unit' | 'granularity'> & {
  onPoint: (index: number | undefined) => void;
};

function draw(element: HTMLElement, { times, series, kind, unit, granularity, onPoint }: DrawOptions): uPlot {
  const { format, steps } = chartUnits[unit];
  const seconds = times.map((time) => time / 1000);
  const axis: uPlot.Axis = {
    stroke: themeColour('--text-muted'),
    grid: { stroke: themeColour('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  const bars = uPlot.paths.bars?.({ size: [0.75, 40] });
  const drawn = series.map(({ name, colour }): uPlot.Series => {
    const paint = themeColour(colour);
    return kind === 'stacked' && bars
      ? { label: name, fill: paint, width: 0, paths: bars, points: { show: false } }
      : { label: name, stroke: paint, width: 1.5, points: { show: true, size: 4, fill: paint } };
  });
  // The tallest series first, because each bar covers the lower part of the previous one.
  const values = kind === 'stacked' ? stacked(series) : series.map((each) => [...each.values]);
  return new uPlot(
    {
      width: element.clientWidth,
      height: heightPx,
      legend: { show: false },
      // The axis labels UTC days in every time zone.
      ...(granularity === 'day' ? { tzDate: utcDate } : {}),
      cursor: { y: false, drag: { setScale: false }, points: { show: false } },
      scales: {
        x: { range: (_plot, min, max) => (kind === 'stacked' ? withRoomForBars(seconds) : [min, max]) },
        y: { range: (_plot, _min, max) => [0, Math.max(max, 1) * 1.05] },
      },
      axes: [
        axis,
        { ...axis, size: 56, incrs: steps, values: (_plot, ticks) => ticks.map((tick) => format(tick)) },
      ],
      series: [{}, ...drawn],
      hooks: { setCursor: [(plot) => onPoint(plot.cursor.idx ?? undefined)] },
    },
    [seconds, ...values] as uPlot.AlignedData,
    element,
  );
}

function utcDate(seconds: number): Date {
  return uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC');
}

function NumbersTable({ label, times, series, unit, granularity }: ChartProps) {
  const { format } = chartUnits[unit];
  const formatTime = timeFormat(granularity);
  return (
    <div className="max-h-64 overflow-auto">
      <table aria-label={label} className="w-full text-xs">
        <thead>
          <tr className="text-left text-muted">
            <th scope="col" className="pr-4 font-normal">
              Time
            </th>
            {series.map(({ name }) => (
              <th key={name} scope="col" className="pr-4 text-right font-normal">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, index) => (
            <tr key={time}>
              <th scope="row" className="pr-4 text-left font-normal whitespace-nowrap">
                {formatTime(time)}
              </th>
              {series.map(({ name, values }) => (
                <td key={name} className="pr-4 text-right">
                  {text(values[index] ?? null, format)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const text = (value: number | null, format: (value: number) => string): string =>
  value === null ? '–' : format(value);
