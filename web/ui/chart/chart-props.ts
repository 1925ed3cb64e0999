import type { ReactNode } from 'react';
import type { Granularity } from '#contract/metrics/metrics.ts';
import type { ChartUnit } from './chart-units.ts';

export interface ChartSeries {
  name: string;
  values: readonly (number | null)[];
  /** A colour token of the theme, for example `--passed`. */
  colour: string;
}

export interface ChartProps {
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
  /** The step that gets a mark, with its meaning. */
  mark?: { step: number; text: string } | undefined;
  /** A step was clicked. */
  onOpen?: ((step: number) => void) | undefined;
  /** A range was dragged, in milliseconds. */
  onZoom?: ((span: { from: number; to: number }) => void) | undefined;
  /** The link of a step in the table. */
  renderStep?: ((step: number, text: string) => ReactNode) | undefined;
}
