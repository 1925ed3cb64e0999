import type { ReactNode } from 'react';
import { timeFormat } from '../time/time-format.ts';
import type { ChartProps } from './chart-props.ts';
import { chartUnits, valueText } from './chart-units.ts';

/** The numbers of a chart. */
export function NumbersTable({ label, times, series, unit, granularity, renderStep }: ChartProps): ReactNode {
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
