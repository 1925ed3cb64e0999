/** Several values in one query parameter: comma-separated; a comma inside a value is written `\,`, a backslash `\\`. */
export function joinValues(values: readonly string[]): string {
  return values.map((value) => value.replaceAll(/[\\,]/g, String.raw`\$&`)).join(',');
}

export function splitValues(text: string): string[] {
  const values = text.match(/(?:\\[\\,]|[^,])+/g) ?? [];
  return values.map((value) => value.replaceAll(/\\([\\,])/g, '$1'));
}
