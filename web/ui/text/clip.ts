/** Texts from forges may have a megabyte, too much for a table row. */
export function clip(text: string, length = 200): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
