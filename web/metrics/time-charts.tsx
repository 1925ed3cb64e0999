import { useNavigate } from '@tanstack/react-router';
import type { Granularity } from '#contract/metrics/metrics.ts';
import { useIntegrationParams } from '../integrations/integration-params.ts';
import type { Span } from '../runs/period.ts';
import type { ChartProps } from '../ui/chart/chart-props.ts';
import { Chart } from '../ui/chart/chart.tsx';
import { spanOfSteps } from '../ui/chart/time-axis.ts';
import type { FigureLinks } from './figure-links.tsx';

export type ChartPart = Pick<ChartProps, 'label' | 'kind' | 'unit' | 'series' | 'mark'>;

/** Charts of one time axis. A step opens the list of what it counts, and a dragged range is reported. */
export function TimeCharts({
  steps,
  granularity,
  links,
  charts,
  onZoom,
}: {
  steps: readonly { at: string; runs: number }[];
  granularity: Granularity;
  links: Pick<FigureLinks, 'listOf' | 'ofStep'>;
  charts: readonly ChartPart[];
  onZoom: (range: { from: string; to: string }) => void;
}) {
  const params = useIntegrationParams();
  const navigate = useNavigate();
  const times = steps.map(({ at }) => Date.parse(at));
  const spanOf = (step: number): Span => spanOfSteps(times, step, step, granularity);
  const shared = {
    times,
    granularity,
    onOpen: (step: number) => void navigate({ ...links.listOf(spanOf(step)), params }),
    onZoom: ({ from, to }: Span) =>
      onZoom({ from: new Date(from).toISOString(), to: new Date(to).toISOString() }),
    renderStep: (step: number, text: string) => links.ofStep(steps[step]?.runs ?? 0, spanOf(step), text),
  };
  return (
    <div className="grid gap-x-8 gap-y-6 px-4 pt-8 xl:grid-cols-2">
      {charts.map((chart) => (
        <Chart key={chart.label} {...shared} {...chart} />
      ))}
    </div>
  );
}

/** A line or bar of each step. */
export const lineOf =
  <Point,>(points: readonly Point[]) =>
  (name: string, colour: string, valueOf: (point: Point) => number | null) => ({
    name,
    colour,
    values: points.map(valueOf),
  });
