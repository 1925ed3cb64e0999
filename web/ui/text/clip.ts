/** Texts from forges may have a megabyte, too much for a table row. */
export function clip(text: string, length = 200): string {
  if (text.length <= length) return text;
  // Half of a surrogate pair would be shown as a question mark.
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`;
}
