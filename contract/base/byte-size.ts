const units = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Bytes for people, such as `512 MiB` and `1.5 GiB`. `format` writes a number with at most one decimal. */
export function byteSize(bytes: number, format: (size: number) => string = String): string {
  if (bytes < 1024) return `${format(bytes)} B`;
  let size = bytes / 1024;
  let unit = 0;
  for (; size >= 1023.95 && unit < units.length - 1; unit += 1) size /= 1024;
  const digits = size >= 100 ? Math.round(size) : Math.round(size * 10) / 10;
  return `${format(digits)} ${units[unit]}`;
}
