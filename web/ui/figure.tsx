import type { ReactNode } from 'react';
import { ChangeText } from './change-text.tsx';
import type { Change } from './change.ts';

/** The key figures of a page. */
export function Figures({ label = 'Numbers', children }: { label?: string; children: ReactNode }) {
  return (
    <dl
      aria-label={label}
      // The last one is as wide as the rest of its line, which it ends.
      className="grid grid-cols-2 border-line max-sm:[&>div:last-child:nth-child(odd)]:col-span-2 sm:grid-cols-3 xl:grid-cols-6 xl:border-b [&>div]:border-line max-xl:[&>div]:border-b sm:max-xl:[&>div:last-child:nth-child(3n+1)]:col-span-3 sm:max-xl:[&>div:last-child:nth-child(3n+2)]:col-span-2"
    >
      {children}
    </dl>
  );
}

/** A key figure with its change and a note. */
export function Figure({
  name,
  value,
  change,
  note,
}: {
  name: ReactNode;
  value: ReactNode;
  change?: Change | undefined;
  note?: ReactNode;
}) {
  return (
    <div className="px-4 py-3">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="-ml-2 flex flex-wrap items-baseline whitespace-nowrap">
        <span className="ml-2 text-lg font-semibold">{value}</span>
        <ChangeText change={change} />
        {note && (
          <span className="ml-2 text-xs whitespace-normal text-muted [&_a]:whitespace-nowrap">{note}</span>
        )}
      </dd>
    </div>
  );
}
