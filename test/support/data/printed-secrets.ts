import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { readFailureLog } from '#server/failures/log/read-failure-log.ts';
import { maskLog } from '#server/masking/mask-text.ts';

/** All but letters and digits. */
export const encodeAll = (text: string): string => encodeURIComponent(text).replace(/[_.~!*'()-]/g, hexOf);
const hexOf = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

/** How programs print a token that its form identifies. */
export const tokenNotations: Record<string, (token: string) => string> = {
  alone: (token) => token,
  quoted: (token) => `{"a":"${token}"}`,
  'escaped JSON': (token) => String.raw`"{\"a\":\"${token}\"}"`,
  'after an assignment': (token) => `A=${token};`,
  'in an address': (token) => `GET https://example.com/?a=${token}&b=1`,
  'URL encoding': (token) => `GET https://example.com/?a=${encodeAll(`b=${token}`)}`,
  Base64: (token) => `sent ${Buffer.from(token).toString('base64')} to it`,
  'unpadded Base64 for URLs': (token) => `sent ${Buffer.from(`a:${token}`).toString('base64url')}`,
  'over two lines': (token) => {
    const half = Math.floor(token.length / 2);
    return `request failed with ${token.slice(0, half)}\n${token.slice(half)} was refused`;
  },
  element: (token) => `<a>${token}</a>`,
  'folded YAML': (token) => `a: >-\n  ${token}`,
  Markdown: (token) => `use \`${token}\` now`,
  header: (token) => `> Authorization: Bearer ${token}`,
  'quoted in a shell': (token) => `+ export A="${token}"`,
  'escaped character before it': (token) => String.raw`a\u003d${token}\nnext`,
  'in a sentence': (token) => `it sent (${token}), not another one.`,
};

/** How programs print a name of a setting and its value. */
export const settingNotations: Record<string, (name: string, value: string) => string> = {
  assignment: (name, value) => `${name}=${value}`,
  'assignment in code': (name, value) => `  ${name} := "${value}",`,
  'quoted assignment of a shell': (name, value) => `+ export ${name}='${value}'`,
  YAML: (name, value) => `  ${name}: ${value}`,
  'YAML with quotes': (name, value) => `  ${name}: "${value}"`,
  JSON: (name, value) => `{"user":"app","${name}":"${value}","port":5432}`,
  'JSON with spaces': (name, value) => `  "${name}" : "${value}",`,
  'escaped JSON': (name, value) => String.raw`"{\"${name}\":\"${value}\"}"`,
  'JSON escaped twice': (name, value) => String.raw`{\\\"${name}\\\":\\\"${value}\\\"}`,
  'hash of Ruby': (name, value) => `{ :${name} => '${value}' }`,
  'element of XML': (name, value) => `<a><${name}>${value}</${name}></a>`,
  'query of an address': (name, value) => `GET /path?${name}=${value}&page=2`,
  'URL encoding': (name, value) => `GET /path?next=${encodeAll(`/b?${name}=${value}`)}`,
  Base64: (name, value) => `sent ${Buffer.from(`${name}=${value}`).toString('base64')} to it`,
};

/** Other lines of a log. */
export const around = fc.array(
  fc.constantFrom(
    'compiled src/module.ts in 12 ms',
    'error: expected 17 to be 18',
    '',
    '  at main (src/app.js:3:14)',
    '##[group]Run tests',
  ),
  { maxLength: 8 },
);

/** The error line, the subject and the excerpts of a failed job with this log. */
export async function shownOf(log: string): Promise<string> {
  async function* bytes() {
    yield Buffer.from(log.replace(/^/gm, '2026-11-20T10:00:01.1234567Z '));
  }
  const { errorLine, subject, excerpts } = await readFailureLog(bytes(), { steps: [], annotations: [] });
  const lines = excerpts.flatMap((excerpt) =>
    excerpt.lines.map(({ spans }) => spans.map(({ text }) => text).join('')),
  );
  return [errorLine, subject, ...lines].join('\n');
}

/** The parts are in nothing that is shown of the log, nor in the log as the message of a test. */
export async function assertHidden(before: string[], text: string, after: string[], parts: string[]): Promise<void> {
  const log = [...before, text, ...after, '##[error]Process completed with exit code 1.'].join('\n');
  for (const shown of [await shownOf(log), maskLog(log)])
    for (const part of parts) assert.ok(!shown.includes(part), `${part} is in\n${shown}`);
}

