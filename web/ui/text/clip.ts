/** Texts of forges may be a megabyte long; nobody reads that in a row of a table. */
export function clip(text: string, length = 200): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
