import type { ReactNode } from 'react';

/** A name and its value in a `dl`. A missing value is a dash. */
export function Fact({
  name,
  className = '',
  children,
}: {
  name: string;
  /** Of the value. */
  className?: string;
  children: ReactNode;
}) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className={`min-w-0 ${className}`}>{children || '–'}</dd>
    </>
  );
}
