import { formatNumber } from '../locale.ts';

/** How many new rows wait, as a button that shows them, above a list in a `relative` element. */
export function NewRows({
  count,
  onShow,
  className,
}: {
  count: number;
  onShow: () => void;
  className: string;
}) {
  if (count === 0) return null;
  return (
    <div className={`pointer-events-none absolute inset-x-0 z-20 flex justify-center ${className}`}>
      <button
        type="button"
        className="pointer-events-auto rounded-full bg-accent px-3 py-1 font-medium text-on-accent shadow-float"
        onClick={onShow}
      >
        {formatNumber(count)} new
      </button>
    </div>
  );
}
