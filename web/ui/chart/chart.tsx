import { useState, type ReactNode } from 'react';
import { lazyPart } from '../page/lazy-part.tsx';
import { useShown } from '../page/use-shown.ts';
import { useShownTheme } from '../theme/theme-colour.ts';
import { timeFormat } from '../time/time-format.ts';
import { chartHeightPx } from './chart-height.ts';
import type { ChartProps } from './chart-props.ts';
import { chartUnits, valueText } from './chart-units.ts';
import { stepText } from './time-axis.ts';

/** The place of the chart. */
const space = <div style={{ height: chartHeightPx }} />;

/** Figures and tables do not wait for it. */
const Canvas = lazyPart('chart-canvas', 'ChartCanvas', () => import('./chart-canvas.tsx'), space);

/** A chart under its heading, with the values of the step under the crosshair, and a table of all values. */
export function Chart(props: ChartProps) {
  const [pointed, setPointed] = useState<number>();
  const { label, times, series, kind, granularity, mark } = props;
  const theme = useShownTheme();
  // The figures of the page do not wait for the chart, nor for its table, which is closed at first.
  const isShown = useShown();
  return (
    <section aria-label={label}>
      <figure className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-4 pb-1">
          <h2 className="text-base font-semibold">{label}</h2>
          {/* Has a fixed height, so that the chart does not move. */}
          <span
            className="h-5 min-w-0 flex-1 truncate text-xs leading-5 text-muted max-sm:basis-full"
            data-pointed
          >
            {pointed === undefined ? '' : pointedText(props, pointed)}
          </span>
        </div>
        <figcaption className="text-xs">
          <span className="flex min-h-5 flex-wrap items-center gap-x-4">
            {series.map(({ name, colour }) => (
              <span key={name} className="inline-flex items-center gap-1.5">
                <span aria-hidden className="size-2 rounded-xs" style={{ background: `var(${colour})` }} />
                {name}
              </span>
            ))}
            {mark && (
              <span className="text-muted">
                <span
                  aria-hidden
                  className="mr-1.5 inline-block h-3 border-l border-dashed border-failed align-middle"
                />
                {mark.text} {stepText(times[mark.step] ?? 0, granularity)}
              </span>
            )}
          </span>
        </figcaption>
        {/* A new key draws the chart again. */}
        {isShown ? (
          <Canvas
            key={JSON.stringify([times, series, kind, granularity, theme, mark?.step])}
            {...props}
            onPoint={setPointed}
          />
        ) : (
          space
        )}
        <details className="mt-1">
          <summary className="w-fit cursor-pointer text-xs text-muted">{label} as a table</summary>
          {isShown && <NumbersTable {...props} />}
        </details>
      </figure>
    </section>
  );
}

function pointedText({ times, series, unit, granularity }: ChartProps, step: number): string {
  const { show } = chartUnits[unit];
  const values = series.map(({ name, values: all }) => `${name} ${valueText(all[step] ?? null, show)}`);
  return `${timeFormat(granularity)(times[step] ?? 0)}: ${values.join(', ')}`;
}

/** The numbers of a chart. */
function NumbersTable({ label, times, series, unit, granularity, renderStep }: ChartProps): ReactNode {
  const { show } = chartUnits[unit];
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
                {renderStep === undefined ? formatTime(time) : renderStep(index, formatTime(time))}
              </th>
              {series.map(({ name, values }) => (
                <td key={name} className="pr-4 text-right">
                  {valueText(values[index] ?? null, show)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
