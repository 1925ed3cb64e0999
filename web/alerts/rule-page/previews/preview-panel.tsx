import { useId, type ReactNode } from 'react';

/** A box of a fixed height, so that changing results move nothing. */
export function PreviewPanel({
  title,
  isBusy = false,
  children,
}: {
  title: string;
  isBusy?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <div className="rounded-md border border-line">
      <h2 id={id} className="border-b border-line px-3 py-2 font-semibold">
        {title}
      </h2>
      <section
        aria-labelledby={id}
        aria-busy={isBusy}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and must by keyboard too
        tabIndex={0}
        className="h-64 overflow-y-auto px-3 py-2 -outline-offset-2"
      >
        {children}
      </section>
    </div>
  );
}
