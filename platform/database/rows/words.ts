/** SQL: a text in lower case. ICU lowers texts as JavaScript does, in every locale of the database. `ilike` follows the locale. */
export const lowered = (text: string): string => `lower((${text}) collate "und-x-icu")`;

/** What `lowered` texts with all of these words match: `like all`. */
export function patternsOf(words: readonly string[]): string[] {
  return words.map((word) => `%${word.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
}
