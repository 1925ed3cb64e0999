import type { Change } from '#contract/metrics/changes.ts';

const [width, height, edge] = [160, 32, 2];

/** The number of a change in each hour or day of both periods. The later period has a background. */
export function TrendLine({ trend }: Pick<Change, 'trend'>) {
  const known = trend.filter((value) => value !== null);
  const most = Math.max(...known, 0);
  const xOf = (index: number): number => edge + (index / Math.max(1, trend.length - 1)) * (width - 2 * edge);
  const yOf = (value: number): number =>
    height - edge - (most === 0 ? 0 : value / most) * (height - 2 * edge);
  const points = trend.flatMap((value, index) => (value === null ? [] : [`${xOf(index)},${yOf(value)}`]));
  const middle = xOf(trend.length / 2 - 0.5);
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="h-8 w-full max-w-60 sm:w-40"
    >
      <rect x={middle} width={width - middle} height={height} className="fill-raised" />
      <polyline
        points={points.join(' ')}
        fill="none"
        className="stroke-accent"
        strokeWidth={1.5}
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
