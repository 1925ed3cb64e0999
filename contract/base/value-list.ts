/** Comma-separated values in one query parameter. `\,` and `\\` escape a comma and a backslash in a value. */
export function joinValues(values: readonly string[]): string {
  return values.map((value) => value.replaceAll(/[\\,]/g, String.raw`\$&`)).join(',');
}

export function splitValues(text: string): string[] {
  const values = text.match(/(?:\\[\\,]|[^,])+/g) ?? [];
  return values.map((value) => value.replaceAll(/\\([\\,])/g, '$1'));
}

/** The list with one value. */
export const only = (value: string): string => joinValues([value]);
