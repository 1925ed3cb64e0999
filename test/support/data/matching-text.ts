import * as fc from 'fast-check';

/** Texts that an expression matches as a whole. What it says about the text around it is left out, and is true at the border of a text. */
export function matchingText({ source }: RegExp): fc.Arbitrary<string> {
  const whole = new RegExp(`^(?:${source})$`);
  const plain = withoutLookaround(source).replaceAll(/\(\?-?i:/g, '(?:');
  return fc.stringMatching(new RegExp(`^(?:${plain})$`)).filter((text) => whole.test(text));
}

/** `(?=...)`, `(?!...)`, `(?<=...)` and `(?<!...)` with the groups in them, and borders of words. */
function withoutLookaround(source: string): string {
  let result = '';
  for (let at = 0; at < source.length;) {
    if (source.startsWith('\\b', at)) at += 2;
    else if (source[at] === '\\') {
      result += source.slice(at, at + 2);
      at += 2;
    } else if (/^\(\?<?[=!]/.test(source.slice(at, at + 4))) at = endOfGroup(source, at);
    else result += source[at++];
  }
  return result.replaceAll('(?:|)', '');
}

function endOfGroup(source: string, start: number): number {
  let depth = 0;
  let isClass = false;
  for (let at = start; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === '[') isClass = true;
    else if (source[at] === ']') isClass = false;
    else if (!isClass && source[at] === '(') depth++;
    else if (!isClass && source[at] === ')' && --depth === 0) return at + 1;
  }
  throw new Error('a group has no end');
}
