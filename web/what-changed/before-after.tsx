import type { ReactNode } from 'react';

/** Two values with an arrow between them. */
export function BeforeAfter({ before, after }: { before: ReactNode; after: ReactNode }) {
  return (
    <span className="whitespace-nowrap">
      {before}
      <span aria-hidden> → </span>
      <span className="sr-only">before, </span>
      {after}
      <span className="sr-only"> after</span>
    </span>
  );
}
