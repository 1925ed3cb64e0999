const longest = 60;

/** What mail programs make clickable by themselves: addresses with a dot or an at sign, schemes and telephone numbers. */
const clickable = /\S[.]\p{L}|@|\p{L}:\S|\d(?:[\s().-]*\d){6}/u;

/**
 * A name that a person chose, where it can stand in a mail to a stranger; undefined for one that is long or that the mail
 * program would turn into a link of its own.
 */
export function mailableName(name: string | null): string | undefined {
  if (name === null || name.length > longest) return undefined;
  if (isClickable(name) || /[\p{C}\p{Zl}\p{Zp}]/u.test(name)) return undefined;
  return name.trim() === '' ? undefined : name;
}

/** Full-width forms read, and some resolve, as the plain ones; so does the ideographic full stop. */
function isClickable(text: string): boolean {
  return clickable.test(text.normalize('NFKC').replaceAll('\u3002', '.'));
}

/**
 * The text with word joiners if the mail program would turn a part of it into a link: anybody who opens a pull request names branches and
 * jobs, and prints to logs.
 */
export function unlinked(text: string): string {
  return isClickable(text) ? text.replace(/[.:@/．：＠／。｡\d]/g, '$&\u2060') : text;
}
