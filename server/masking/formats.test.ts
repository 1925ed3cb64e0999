import { test } from 'node:test';
import * as fc from 'fast-check';
import { tokens } from '#test/support/data/arbitrary-secrets.ts';
import {
  around,
  assertHidden,
  settingNotations,
  tokenNotations,
} from '#test/support/data/printed-secrets.ts';
import { takesAtMost } from '#test/support/waiting/short-turns.ts';
import { findSecrets, secretFormats } from './find-secrets.ts';
import { maskLog } from './mask-text.ts';
import { ownTokens } from './token-formats.ts';
import { vendorTokens } from './vendor-formats.ts';
import published from './vendor-rules.json' with { type: 'json' };

/** Parts of a token that nobody may see: its middle and its end. */
function piecesOf(token: string): string[] {
  const middle = Math.floor(token.length / 2);
  return [token.slice(middle, middle + 12), token.slice(-12)];
}

const looksRandom = /^.{0,7}(?:\d|[a-z][A-Z])/;

/** A rest that looks like a word, or is shorter than 8 characters, is not followed over lines. */
function isFollowed(token: string): boolean {
  const rest = token.slice(Math.floor(token.length / 2));
  return rest.length >= 8 && looksRandom.test(rest);
}

const tokensOfFormats = [...vendorTokens, ...ownTokens].map(({ pattern }) => matchingText(pattern));

for (const [name, notation] of Object.entries(tokenNotations))
  test(`no token that the expression of a format generates survives: ${name}`, async () => {
    for (const generated of tokensOfFormats)
      await fc.assert(
        fc.asyncProperty(around, generated, around, async (before, token, after) => {
          if (name === 'over two lines' && !isFollowed(token)) return;
          await assertHidden(before, notation(token), after, piecesOf(token));
        }),
        { numRuns: 1, endOnFailure: true },
      );
  });

/** What the vendor calls the setting, and its values. */
const named = published.rules.flatMap(({ name, secret }) => {
  if (name === undefined) return [];
  const value = matchingText(new RegExp(secret)).filter((text) => /\d/.test(text));
  return [{ vendor: matchingText(new RegExp(name)), value }];
});

for (const [notationName, notation] of Object.entries(settingNotations))
  test(`no value that the name of its vendor identifies survives: ${notationName}`, async () => {
    for (const { vendor, value } of named) {
      await fc.assert(
        fc.asyncProperty(around, vendor, value, around, async (before, name, said, after) => {
          await assertHidden(before, notation(`${name}_id`, said), after, piecesOf(said));
        }),
        { numRuns: 1, endOnFailure: true },
      );
    }
  });

/** These have lines or places of their own. */
const notOneWord = /^pem|url|URL|azure key/;

for (const [name, notation] of Object.entries(tokenNotations))
  test(`no token survives: ${name}`, async () => {
    for (const [format, arbitrary] of Object.entries(tokens)) {
      if (notOneWord.test(format)) continue;
      await fc.assert(
        fc.asyncProperty(around, arbitrary, around, async (before, { text, parts }, after) => {
          if (name === 'over two lines' && !isFollowed(text)) return;
          // Halves of a part are secret as well.
          const pieces = parts.flatMap((part) => [part.slice(0, 10), part.slice(-10)]);
          await assertHidden(
            before,
            notation(text),
            after,
            pieces.filter((piece) => piece.length === 10),
          );
        }),
        { numRuns: 4 },
      );
    }
  });

/** Starts of secrets and characters that classes of the expressions hold. */
const hostile = [
  'a',
  '=',
  ' ',
  '"',
  '%25',
  '%',
  '://a:',
  'password',
  'password: ',
  'password is ',
  '<password ',
  '<password>',
  '<',
  '\\"',
  'eyJ',
  'eyJa.',
  'aA1_',
  'ghp_',
  'MTEx',
  're_aaaaaaaa_',
  'cmVmdGtu',
  'secret_',
  'curl -u ',
  'token=',
  'a-',
  'cGFzc3dvcmQ9',
  '"""',
  '-a',
  "'",
  '`',
  'xoxb-',
  '123456789:AA',
  'sk-',
  'key ',
  'pat',
  'AZDO',
];

/** What a format is tried at, also followed by what a name or a token continues with. */
const ofFormats = secretFormats.flatMap(({ anchors }) =>
  anchors.flatMap((anchor) => [anchor, `${anchor}a`, `${anchor}= `]),
);

/** The longest line of a log, of which one is read in a turn of the event loop. */
const longestLine = 16 * 1024;

test('no line blocks the event loop', async () => {
  for (const part of new Set([...hostile, ...ofFormats])) {
    const line = part.repeat(Math.ceil(longestLine / part.length));
    await takesAtMost(
      50,
      () => findSecrets(line),
      () => part,
    );
  }
});

test('the time for a line grows with its length', async () => {
  for (const part of hostile) {
    const text = part.repeat(Math.ceil(300_000 / part.length));
    const read = (): void => {
      findSecrets(text);
      maskLog(`${text}\n`.repeat(2));
    };
    await takesAtMost(900, read, () => part);
  }
});

/** Texts that an expression matches as a whole. What it says about the text around it is left out, and is true at the border of a text. */
function matchingText({ source }: RegExp): fc.Arbitrary<string> {
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
