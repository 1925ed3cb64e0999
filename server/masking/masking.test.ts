import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { around, assertHidden, encodeAll, shownOf } from '#test/support/data/printed-secrets.ts';
import { maskLog } from './mask-text.ts';

/** How programs print a value that a name or the lines around it say to be secret. */
const notations: Record<string, (value: string) => string> = {
  'folded YAML': (value) => `  password: >-\n    ${value}\n  port: 5432`,
  'block of YAML': (value) => `db_password: |\n  ${value}\nport: 5432`,
  'block of YAML in the output of a build': (value) =>
    `#12 0.345 secret: |2\n#12 0.345   ${value}\n#12 0.346 done`,
  'value on the next line': (value) => `DB_PASSWORD=\n${value}\nHOME=/root`,
  'three quotes': (value) => `client_secret = """\n${value}\n"""`,
  'quote over lines': (value) => `password: "\n${value}"`,
  'here document': (value) => `API_TOKEN<<EOF\n${value}\nEOF`.replace('<<', '=<<'),
  'element of XML': (value) => `<server><password>${value}</password></server>`,
  'element of XML over lines': (value) => `<db:password encrypted="no">\n  ${value}\n</db:password>`,
  'password of sshpass': (value) => `SSHPASS=${value}`,
  'personal access token': (value) => `AZURE_PAT=${value}`,
  'deploy key': (value) => `DEPLOY_KEY=${value}`,
  sentence: (value) => `The password is ${value}`,
  'quote in a sentence': (value) => `the new password was set to "${value}"`,
  'escaped JSON': (value) => String.raw`"{\"user\":\"a\",\"password\":\"${value}\"}"`,
  'JSON escaped twice': (value) => String.raw`{\\\"password\\\":\\\"${value}\\\"}`,
  'URL encoding': (value) => `GET /?state=%7B%22password%22%3A%22${value}%22%7D`,
  'assignment in URL encoding': (value) => `GET /?next=${encodeAll(`/a?password=${value}`)}`,
  Base64: (value) => `sent ${Buffer.from(`password=${value}`).toString('base64')} to it`,
};

const word = fc.string({
  unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'),
  minLength: 10,
  maxLength: 30,
});
const value = word.map((text) => `${text.slice(0, 5)}7q${text.slice(5)}`);
for (const [name, notation] of Object.entries(notations))
  test(`a secret value does not survive: ${name}`, async () => {
    await fc.assert(
      fc.asyncProperty(around, value, around, (before, secret, after) =>
        assertHidden(before, notation(secret), after, [secret]),
      ),
      { numRuns: 60 },
    );
  });

test('a private key without its first line does not survive', async () => {
  const line = fc
    .string({ unit: fc.constantFrom(...'ABCDEFabcdef0123456789+/'), minLength: 58, maxLength: 58 })
    .map((text) => `aB3dE6${text}`);
  const last = word.map((text) => `${text}==`);
  await fc.assert(
    fc.asyncProperty(
      around,
      fc.array(line, { minLength: 1, maxLength: 20 }),
      last,
      async (before, lines, end) => {
        const key = [...lines, end, '-----END PRIVATE KEY-----'].join('\n');
        await assertHidden(before, key, [], [...lines, end]);
      },
    ),
    { numRuns: 60 },
  );
});

test('an error line is no masked value when another line says more', async () => {
  const log = 'error: cannot connect to db\npassword: >-\n  error-hunter2\n';
  assert.match(await shownOf(log), /^error: cannot connect to db|^cannot connect to db/);
  assert.doesNotMatch(await shownOf(log), /hunter2/);
  const onlyLast = 'starting\ntoken=\nhunter2secret\n';
  assert.doesNotMatch((await shownOf(onlyLast)).split('\n')[0] ?? '', /^\*\*\*$/);
});

const kept = [
  'HEAD is now at 3f786850e387550fdab836ed7e6dc881de23001b Fix the parser',
  'id 123e4567-e89b-12d3-a456-426614174000 was not found',
  'integrity sha512-9NT0Pf6CE7PT9e2Uz4fVZ0t9nnFPVq1XHmh2lq4A1hIfFhDHgiZzYwKfYzVyzWvmuM7q1p8uHfMIkGCYq3eXBA== was wrong',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08: pull access denied',
  'cannot find /home/runner/_work/_temp/0f5a1c9e-7a42-4cde-9c1a-8e3b6ae0d4a7.sh',
  'The password is incorrect',
  'the token is invalid or was revoked',
  'password is required',
  'credentials are missing',
  'cache-key: node-Linux-3f786850e387550fdab836ed7e6dc881de23001b',
  'at shop::login::reject_password::closure',
  'GET /search?q=a%20b%3Dc%26d failed',
  'com.Example.MessageHandlerRegistryFactory.create.ThrowsWhenTheRegistryIsClosed',
  're_exports_of_the_internal_module_of_shop',
  'secret_manager_client_library_for_typescript_and_node_js',
  'Module build failed: ModuleNotFoundError: Cannot find node_modules/@acme/long-name-of-a-package/index.js',
];

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const ofWords = fc.array(
  fc.constantFrom(
    'the',
    'parser',
    'reads',
    'a',
    'long',
    'line',
    'of',
    'tests',
    'again',
    'module',
    'secret',
    'tokens',
  ),
  { minLength: 5, maxLength: 12 },
);
const random64 = fc
  .uint8Array({ minLength: 64, maxLength: 64 })
  .map((bytes) => Buffer.from(bytes).toString('base64'))
  .filter((text) => !text.includes('eyJ'));

/** What logs are full of and is no secret. */
const ordinary: Record<string, fc.Arbitrary<string>> = {
  commit: hex(40).map((id) => `HEAD is now at ${id} Fix the parser`),
  'short commit': hex(7).map((id) => `Merge ${id} into main`),
  UUID: fc.uuid().map((id) => `request ${id} failed: heroku run, jira and sentry are up`),
  digest: hex(64).map((id) => `Status: Downloaded newer image for node@sha256:${id}`),
  'name of a vendor before a digest': hex(64).map((id) => `getsentry/sentry-cli@sha256:${id}`),
  integrity: random64.map((sum) => `npm error sha512-${sum} integrity checksum failed`),
  version: fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99)).map((parts) => `"pgpass": "^${parts.join('.')}"`),
  'Base64 of words': ofWords.map((words) => `data ${Buffer.from(words.join(' ')).toString('base64')} ok`),
  'name of a test': ofWords.map((words) => `✓ src/auth/token.test.ts > ${words.join(' ')} (12ms)`),
  'name in one word': ofWords.map(
    (words) => `at ${words.join('_')} and ${words.join('-')} (${words.join('.')}:3:14)`,
  ),
  address: ofWords.map(
    (words) => `GET https://example.com:8080/${words.join('/')}?q=${words.join('+')}#top 200`,
  ),
  time: fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
    .map((date) => `[${date.toISOString()}] started at ${date.getTime()}`),
  code: fc.constantFrom(
    'const token = await',
    'password: null,',
    '"secret": {',
    'let tokens = [];',
    'key: true',
  ),
};

for (const [name, line] of Object.entries(ordinary))
  test(`an ordinary line stays as it is: ${name}`, () => {
    fc.assert(
      fc.property(line, (text) => assert.equal(maskLog(text), text)),
      { numRuns: 200 },
    );
  });

test('ordinary lines stay as they are', () => {
  for (const line of kept) assert.equal(maskLog(line), line);
  const log = ['found secrets:', '  - db', 'TOKEN=', 'HOME=/root', 'done with 3 errors in 12 files'].join(
    '\n',
  );
  assert.equal(maskLog(log), log);
});

test('output of tools without secrets stays as it is', async () => {
  const printed: string[] = [];
  const collect = (one: unknown): void => {
    if (typeof one === 'string') printed.push(one);
    else if (one !== null && typeof one === 'object') Object.values(one).forEach(collect);
  };
  for (const name of ['tools', 'steps', 'error-lines'])
    collect(JSON.parse(await readFile(`test/vectors/failure-logs/${name}.json`, 'utf8')));
  assert.ok(printed.length > 300);
  for (const text of printed) assert.equal(maskLog(text), text);
});
