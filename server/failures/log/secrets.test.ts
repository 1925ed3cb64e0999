import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { secrets } from '#test/support/data/arbitrary-secrets.ts';
import { readFailureLog } from './read-failure-log.ts';

/** Writes colour changes into the text. A part that the forge's own prefix separates stays in one line. */
function coloured(text: string, places: readonly number[]): string {
  let result = text;
  const descending = places.map((place) => place % (text.length + 1)).sort((a, b) => b - a);
  for (const at of descending) result = `${result.slice(0, at)}\u001b[${30 + (at % 8)}m${result.slice(at)}`;
  return result;
}

const contexts = [
  (secret: string) => `##[error]request failed: ${secret}`,
  (secret: string) => `error: ${secret}`,
  (secret: string) => `fatal: unable to access ${secret}\nFAILED`,
  (secret: string) => `${secret}\nError: it broke`,
  (secret: string) => `npm error ${secret} is not allowed`,
  (secret: string) => `"${secret}" was rejected: error`,
];

async function* inChunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const lines = fc.array(
  fc.string({ maxLength: 60 }).map((line) => line.replace(/-----|\n/g, ' ')),
  { maxLength: 15 },
);

for (const [name, secret] of Object.entries(secrets))
  test(`a secret does not survive in an excerpt or error line: ${name}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        secret,
        fc.constantFrom(...contexts),
        lines,
        fc.array(fc.nat(500), { maxLength: 5 }),
        fc.integer({ min: 1, max: 90 }),
        async ({ text, parts }, context, around, places, size) => {
          const log = [
            ...around,
            context(coloured(text, places)),
            ...around,
            '##[error]Process completed with exit code 1.',
          ]
            .join('\n')
            .replace(/^/gm, '2026-11-20T10:00:01.1234567Z ');
          const annotations = [
            { level: 'failure' as const, path: '.github', title: `failed: ${text}`, message: context(text) },
          ];
          const fromLog = await readFailureLog(inChunks(log, size), { steps: [], annotations: [] });
          const annotated = await readFailureLog(inChunks('', 1), { steps: [], annotations });
          for (const reason of [fromLog, annotated]) {
            const shown = textsOf(reason);
            for (const part of parts)
              assert.ok(!shown.includes(part), `${JSON.stringify(part)} is in\n${shown}`);
          }
        },
      ),
      { numRuns: 8 },
    );
  });

type Reason = Awaited<ReturnType<typeof readFailureLog>>;

/** Everything that is stored, with the colours removed. */
function textsOf({ errorLine, excerpts }: Reason): string {
  const shown = excerpts.flatMap(({ lines }) =>
    lines.map(({ spans }) => spans.map(({ text }) => text).join('')),
  );
  return [errorLine ?? '', ...shown].join('\n');
}

test('the words around a secret survive', async () => {
  const log = '##[error]login as app with password=hunter2secret to db.example.com failed\n';
  const { errorLine } = await readFailureLog(inChunks(log, 7), { steps: [], annotations: [] });
  assert.equal(errorLine, 'login as app with password=*** to db.example.com failed');
});

test('messages about secrets keep their words', async () => {
  const messages = [
    'SyntaxError: Unexpected token < in JSON at position 0',
    `error: Unexpected token: '}'`,
    'fatal: could not read Username for https://github.com: terminal prompts disabled',
    'error: PWD=/home/ci/_work/shop/shop is not a directory',
    'fatal: repository ssh://git@github.com/acme/shop.git not found',
    'error: GET http://localhost:4873/@acme/shop failed',
    'error: cannot reach https://registry.example.com:8443/shop@sha256:1234',
    'error: mysql -h db -p shop failed',
    'error: mysql: unknown option --print-defaults',
    'error: tests pass: 7, login -page not found',
    'error: skipped global-navigation-component-of-the-page',
  ];
  for (const message of messages) {
    const { errorLine } = await readFailureLog(inChunks(message, 9), { steps: [], annotations: [] });
    assert.equal(errorLine, message);
  }
});
