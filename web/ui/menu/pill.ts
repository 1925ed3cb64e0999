const shape = 'inline-flex h-7 max-w-64 items-center gap-1.5 rounded-full border px-2.5 pointer-coarse:h-9';

/** The looks of a filter button without and with a value. One with a value is printed. */
export const pill = {
  open: `${shape} border-dashed border-line-strong text-muted hover:bg-hover`,
  /** A value of a row that people change. It is no filter. */
  value: `${shape} border-line-strong hover:bg-hover`,
  set: `prints ${shape} border-line-strong bg-hover`,
} as const;
