const shape = 'inline-flex h-7 max-w-64 items-center gap-1.5 rounded-full border px-2.5 pointer-coarse:h-9';

/** How a filter looks in a toolbar: one that narrows nothing yet, and one that does. */
export const pill = {
  open: `${shape} border-dashed border-line-strong text-muted hover:bg-hover`,
  set: `${shape} border-line-strong bg-hover`,
} as const;
