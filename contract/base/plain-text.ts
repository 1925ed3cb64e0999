/**
 * Invisible characters, for a character class: control characters, line separators, characters that change the text
 * direction (CVE-2021-42574) and other invisible ones. The joiners U+200C and U+200D are allowed, because some scripts and
 * emoji need them.
 */
export const hiddenCharacters =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb';

const hidden = new RegExp(`[${hiddenCharacters}]`);
/** Also lone surrogates and tag characters, which encode invisible ASCII. */
const runsOfHidden = new RegExp(`[${hiddenCharacters}\\p{Cs}\\u{e0000}-\\u{e0fff}]+`, 'gu');

export function hasHiddenCharacters(text: string): boolean {
  return hidden.test(text);
}

/** Replaces hidden characters, so that the text is one line in the direction of its surroundings. */
export function visibleText(text: string): string {
  return text.replace(runsOfHidden, ' ').trim();
}

/** Lower case of ASCII letters only. `toLowerCase` also turns other characters into them, such as the Kelvin sign into k. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
