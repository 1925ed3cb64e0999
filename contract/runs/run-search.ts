/**
 * What the search field looks for. One word that is a number, a SHA or an address of the forge names runs exactly, so that an
 * index finds them in any number of runs. Everything else is text, and so is a word in double quotes.
 */
export type RunSearch =
  /** The run has this number or id, or belongs to this pull request, or its SHA starts with `sha`. */
  | { kind: 'number'; number: number; sha: string | undefined }
  /** The SHA of the run starts with `sha`. */
  | { kind: 'commit'; sha: string }
  /** The text of the run, or that and one of its jobs, contains all words in lower case, see `searchedFields`. */
  | { kind: 'text'; words: string[] };

/** Git abbreviates a SHA to at least 7 characters. SHA-256 has 64. */
const isSha = /^[0-9a-f]{7,64}$/;
const isNumber = /^\d{1,15}$/;

export function parseSearch(q: string): RunSearch {
  const word = q.trim().toLowerCase();
  const name = nameInAddress(word) ?? word;
  const digits = name.startsWith('#') ? name.slice(1) : name;
  // Words such as "defaced" consist of the letters of a SHA.
  const sha = isSha.test(name) && /\d/.test(name) ? name : undefined;
  if (isNumber.test(digits)) return { kind: 'number', number: Number(digits), sha };
  if (sha !== undefined) return { kind: 'commit', sha };
  return { kind: 'text', words: wordsOf(q) };
}

/** The run, pull request or commit of an address at GitHub, Gitea or Forgejo. */
function nameInAddress(word: string): string | undefined {
  if (!/^https?:\/\/\S+$/.test(word)) return undefined;
  return /\/(?:runs|pulls?|commit)\/([0-9a-f]{1,64})(?![^/?#])/.exec(word)?.[1];
}

/** Words, and phrases in double quotes. The list is never empty. */
function wordsOf(q: string): string[] {
  const words = q
    .toLowerCase()
    .matchAll(/"([^"]+)"|\S+/g)
    .map(([word, phrase]) => phrase ?? word)
    .toArray();
  return words.length === 0 ? [''] : words;
}

/** The search for the same word as text. */
export const asText = (q: string): string => `"${q.trim().replaceAll('"', '')}"`;
