import { Button } from '../button.tsx';

/** Loads the next page of a list. */
export function MoreButton({ more, isPending }: { more: (() => void) | undefined; isPending: boolean }) {
  if (more === undefined) return null;
  return (
    <div className="flex justify-center p-4">
      <Button onClick={more} disabled={isPending} aria-busy={isPending}>
        {isPending ? 'Loading…' : 'Load more'}
      </Button>
    </div>
  );
}
