/**
 * What does not show, for a class of a regular expression: control characters, line separators, characters that change
 * the direction of text (CVE-2021-42574) and invisible ones. The joiners U+200C and U+200D stay: scripts and emoji need them.
 */
export const hiddenCharacters =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb';

const hidden = new RegExp(`[${hiddenCharacters}]`);
/** With halves of surrogate pairs, and tags, which spell invisible ASCII. */
const runsOfHidden = new RegExp(`[${hiddenCharacters}\\p{Cs}\\u{e0000}-\\u{e0fff}]+`, 'gu');

export function hasHiddenCharacters(text: string): boolean {
  return hidden.test(text);
}

/** On one line, and in the direction of what stands around it. */
export function visibleText(text: string): string {
  return text.replace(runsOfHidden, ' ').trim();
}
