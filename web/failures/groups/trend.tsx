const width = 4;
const gap = 1;
const height = 18;

/** Failures per day as small bars. The text is for screen readers. */
export function Trend({ counts }: { counts: readonly number[] }) {
  const most = Math.max(1, ...counts);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const label = `${total} in the last ${counts.length} days, ${counts.at(-1) ?? 0} today`;
  return (
    <span title={label} className="whitespace-nowrap">
      <span className="sr-only">{label}</span>
      <svg
        aria-hidden
        width={counts.length * (width + gap)}
        height={height}
        className="inline-block align-baseline"
      >
        {counts.map((count, day) => {
          const bar = count === 0 ? 1 : Math.max(2, Math.round((count / most) * height));
          return (
            <rect
              // Days never move.
              // oxlint-disable-next-line react/no-array-index-key
              key={day}
              x={day * (width + gap)}
              y={height - bar}
              width={width}
              height={bar}
              className={count === 0 ? 'fill-line-strong' : 'fill-failed'}
            />
          );
        })}
      </svg>
    </span>
  );
}
