import { useId, type ReactNode } from 'react';

/** A box of a fixed height, so that changing results move nothing, or one that shows all of its content. */
export function PreviewPanel({
  title,
  isBusy = false,
  isWhole = false,
  children,
}: {
  title: string;
  isBusy?: boolean;
  isWhole?: boolean;
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
        tabIndex={isWhole ? undefined : 0}
        className={`px-3 py-2 -outline-offset-2 ${isWhole ? 'min-h-64' : 'h-64 overflow-y-auto'}`}
      >
        {children}
      </section>
    </div>
  );
}
