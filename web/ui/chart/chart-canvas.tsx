import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import type { Granularity } from '#contract/metrics/metrics.ts';
import { themeColour } from '../theme/theme-colour.ts';
import type { ChartProps, ChartSeries } from './chart-props.ts';
import { chartHeightPx } from './chart-height.ts';
import { spanOfSteps, axisLabels, axisSteps, dayTicks } from './time-axis.ts';
import { chartUnits, withRoomForBars, type ChartUnit } from './chart-units.ts';
import { stacked } from './stacked.ts';

/** The drawing of a chart. It is decorative, because the table has the same values. */
export function ChartCanvas({
  onPoint,
  ...props
}: ChartProps & { onPoint: (step: number | undefined) => void }) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const { mark, ...drawn } = latest.current;
    const plot = drawChart(element, {
      ...drawn,
      markedStep: mark?.step,
      onPoint,
      onClick: (step) => latest.current.onOpen?.(step),
      onSelect: (first, last) => {
        const { times, granularity, onZoom } = latest.current;
        onZoom?.(spanOfSteps(times, first, last, granularity));
      },
    });
    const resized = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: chartHeightPx }),
    );
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [onPoint]);
  return (
    <div ref={place} aria-hidden className="w-full cursor-crosshair" style={{ height: chartHeightPx }} />
  );
}

const timeAxisPx = 24;
/** Half of a label of the value axis. */
const abovePx = 8;
/** A shorter movement is a click. */
const dragPx = 8;

interface DrawOptions {
  /** Milliseconds since the epoch. */
  times: readonly number[];
  series: readonly ChartSeries[];
  kind: 'stacked' | 'lines';
  unit: ChartUnit;
  granularity: Granularity;
  /** The step that gets a vertical mark. */
  markedStep: number | undefined;
  onPoint(step: number | undefined): void;
  onClick(step: number): void;
  onSelect(firstStep: number, lastStep: number): void;
}

/** Draws a chart. Its crosshair moves with those of all charts of the page. */
function drawChart(element: HTMLElement, options: DrawOptions): uPlot {
  const { times, series, kind, onPoint, onClick } = options;
  const seconds = times.map((time) => time / 1000);
  // The tallest series first, because each bar covers the lower part of the previous one.
  const values = kind === 'stacked' ? stacked(series) : series.map((each) => [...each.values]);
  const plot = new uPlot(
    {
      width: element.clientWidth,
      height: chartHeightPx,
      padding: [abovePx, null, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false, dist: dragPx },
        points: { show: false },
        sync: {
          key: 'page',
          setSeries: false,
          filters: { pub: (type) => type.startsWith('mouse') && !/down|up/.test(type) },
        },
      },
      scales: {
        // Also of lines, so that the time axes of all charts agree.
        x: { range: () => withRoomForBars(seconds) },
        y: { range: (_plot, _min, max) => [0, Math.max(max, 1) * 1.05] },
      },
      axes: axesOf(options, seconds),
      series: [{}, ...series.map((each) => drawnSeries(each, kind))],
      hooks: {
        setCursor: [(drawn) => onPoint(drawn.cursor.idx ?? undefined)],
        setSelect: [(drawn) => select(drawn, options)],
        draw: [(drawn) => drawMark(drawn, seconds[options.markedStep ?? -1])],
      },
    },
    [seconds, ...values] as uPlot.AlignedData,
    element,
  );
  plot.over.addEventListener('click', () => {
    const step = plot.cursor.idx;
    if (typeof step === 'number') onClick(step);
  });
  return plot;
}

function axesOf({ unit, granularity }: DrawOptions, seconds: readonly number[]): uPlot.Axis[] {
  const { format, steps } = chartUnits[unit];
  const shared: uPlot.Axis = {
    stroke: themeColour('--text-muted'),
    grid: { stroke: themeColour('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  const ofTime: uPlot.Axis = {
    ...shared,
    size: timeAxisPx,
    space: 64,
    incrs: axisSteps[granularity],
    values: (_plot, ticks) => axisLabels(ticks, granularity),
    ...(granularity === 'day' && {
      splits: (_plot: uPlot, _axis: number, _min: number, _max: number, step: number) =>
        dayTicks(seconds, step),
    }),
  };
  const ofValues = {
    size: 56,
    incrs: steps,
    values: (_: uPlot, ticks: number[]) => ticks.map((tick) => format(tick)),
  };
  return [ofTime, { ...shared, ...ofValues }];
}

function drawnSeries({ name, colour }: ChartSeries, kind: DrawOptions['kind']): uPlot.Series {
  const paint = themeColour(colour);
  const bars = uPlot.paths.bars?.({ size: [0.75, 40] });
  if (kind === 'stacked' && bars)
    return { label: name, fill: paint, width: 0, paths: bars, points: { show: false } };
  // The points are what was measured. The line also spans steps without a run, of which nights and weekends are full.
  return {
    label: name,
    stroke: paint,
    width: 1.5,
    spanGaps: true,
    points: { show: true, size: 4, fill: paint },
  };
}

/** Reports the selected steps and removes the selection. */
function select(plot: uPlot, { onSelect }: DrawOptions): void {
  const { left, width } = plot.select;
  if (width < dragPx) return;
  onSelect(plot.posToIdx(left), plot.posToIdx(left + width));
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

/** A dashed vertical line. */
function drawMark(plot: uPlot, at: number | undefined): void {
  if (at === undefined) return;
  const { ctx, bbox } = plot;
  const x = Math.round(plot.valToPos(at, 'x', true));
  ctx.save();
  ctx.strokeStyle = themeColour('--failed');
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4, 4]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}
