import { formatNumber } from '../../ui/locale.ts';
/** The number of runs that a filter value would leave; nothing while unknown. */
export function ChoiceCount({ count }: { count: number | undefined }) {
  if (count === undefined) return null;
  return (
    <span className="ml-auto shrink-0 pl-4 text-muted">
      {formatNumber(count)}
      <span className="sr-only">{count === 1 ? ' run' : ' runs'}</span>
    </span>
  );
}
