/** How many runs a choice of a filter would leave; nothing while that is not known. */
export function ChoiceCount({ count }: { count: number | undefined }) {
  if (count === undefined) return null;
  return (
    <span className="ml-auto shrink-0 pl-4 text-muted">
      {count.toLocaleString()}
      <span className="sr-only">{count === 1 ? ' run' : ' runs'}</span>
    </span>
  );
}
