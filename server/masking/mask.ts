/** A range of a text, without its end. */
export interface TextRange {
  from: number;
  to: number;
}

export const mask = '***';

/** Writes a mask where a secret begins. The text begins at the character `at` of its line. */
export function masked(text: string, secrets: readonly TextRange[], at = 0, first = 0): string {
  const end = at + text.length;
  let result = '';
  let position = at;
  for (let index = first; index < secrets.length; index++) {
    const { from, to } = secrets[index] as TextRange;
    if (from >= end) break;
    if (from >= position) result += text.slice(position - at, from - at) + mask;
    position = Math.max(position, Math.min(to, end));
  }
  return result + text.slice(position - at);
}
