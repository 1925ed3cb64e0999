import { useEffect, useRef } from 'react';
import type { ChartProps } from './chart-props.ts';
import { chartHeightPx } from './chart-height.ts';
import { drawChart } from './draw-chart.ts';
import { spanOfSteps } from './time-axis.ts';

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
