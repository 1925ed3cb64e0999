import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readFailureLog } from '../read-failure-log.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
const chars = (alphabet: string, minLength: number, maxLength = minLength) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });
const word = (min: number, max?: number) => chars(letters + digits, min, max);
const url64 = (min: number, max?: number) => chars(`${letters}${digits}-_`, min, max);
const base64 = (min: number, max?: number) => chars(`${letters}${digits}+/`, min, max);
const hex = (min: number, max?: number) => chars('0123456789abcdef', min, max);

/** The text in the log, and the parts of it that are secret. */
interface Secret {
  text: string;
  parts: string[];
}

const token = (prefix: string, rest: fc.Arbitrary<string>): fc.Arbitrary<Secret> =>
  rest.map((random) => ({ text: prefix + random, parts: [random] }));
const inside = (before: string, secret: fc.Arbitrary<string>, after = ''): fc.Arbitrary<Secret> =>
  secret.map((random) => ({ text: before + random + after, parts: [random] }));

const jwt = fc.tuple(url64(20, 300), url64(30, 900), url64(43)).map(([header, claims, signature]) => ({
  text: `eyJ${header}.eyJ${claims}.${signature}`,
  parts: [header, claims, signature],
}));

const pem = fc
  .tuple(
    fc.constantFrom('', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '),
    fc.array(base64(64), { minLength: 1, maxLength: 50 }),
    fc.constantFrom('', '    ', '#12 0.345 ', '+ '),
  )
  .map(([kind, lines, indent]) => ({
    text: [`-----BEGIN ${kind}PRIVATE KEY-----`, ...lines, `-----END ${kind}PRIVATE KEY-----`]
      .map((line) => indent + line)
      .join('\n'),
    parts: lines,
  }));

const pemOnOneLine = base64(64, 500).map((body) => ({
  text: String.raw`{"private_key": "-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n", "a": 1}`,
  parts: [body],
}));

/** A password without quotes, spaces and slashes, longer than the words of the log. */
const password = chars(`${letters}${digits}!#$%&()*+,-.:;<=>?@[]^_{|}~`, 10, 40).filter(
  (text) => !/^[-*>=<]/.test(text),
);
const simplePassword = word(10, 30);

const secrets: Record<string, fc.Arbitrary<Secret>> = {
  forgewatch: token('fw_', word(36)),
  'github ghp': token('ghp_', word(36)),
  'github gho': token('gho_', word(36)),
  'github ghs': token('ghs_', word(36)),
  'github ghu': token('ghu_', word(36)),
  'github ghr': token('ghr_', word(76)),
  'github pat': token('github_pat_', chars(`${letters}${digits}_`, 82)),
  gitlab: token('glpat-', url64(20)),
  'gitlab trigger': token('glptt-', hex(40)),
  npm: token('npm_', word(36)),
  pypi: token('pypi-', url64(100, 200)),
  'aws key': token('AKIA', chars('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)),
  'aws temporary key': token('ASIA', chars('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)),
  'aws secret': inside('AWS_SECRET_ACCESS_KEY=', base64(40)),
  'aws secret in a file': inside('aws_secret_access_key = ', base64(40)),
  slack: fc
    .tuple(chars(digits, 12), chars(digits, 12), word(24))
    .map(([a, b, c]) => ({ text: `xoxb-${a}-${b}-${c}`, parts: [c] })),
  'slack webhook': inside('https://hooks.slack.com/services/T0000001/B0000001/', word(24)),
  stripe: token('sk_live_', word(24, 99)),
  'stripe restricted': token('rk_test_', word(24, 99)),
  google: token('AIza', url64(35)),
  'google access': token('ya29.', url64(60, 150)),
  openai: token('sk-', word(48)),
  'openai project': token('sk-proj-', url64(120)),
  anthropic: token('sk-ant-api03-', url64(93)),
  docker: token('dckr_pat_', url64(27)),
  vault: token('hvs.', url64(90)),
  sendgrid: token(
    'SG.',
    fc.tuple(url64(22), url64(43)).map((parts) => parts.join('.')),
  ),
  jwt,
  pem,
  'pem on one line': pemOnOneLine,
  'url with password': inside('https://deploy:', simplePassword, '@db.example.com:5432/app'),
  'url with any password': inside('postgres://app:', password, '@10.0.0.5/app').filter(
    ({ text }) => !/[/?#<>\s]/.test(text.slice('postgres://'.length, text.indexOf('@10.0.0.5'))),
  ),
  'url with token': inside('https://', word(40), '@git.example.com/a/b.git'),
  'authorization bearer': inside('Authorization: Bearer ', url64(20, 80)),
  'authorization basic': inside('> authorization: Basic ', base64(20, 80)),
  'authorization token': inside(`'Authorization': 'token `, hex(40), `'`),
  'proxy authorization': inside('Proxy-Authorization: Basic ', base64(20)),
  cookie: inside('Set-Cookie: session=', word(32), '; Path=/'),
  'password=': inside('password=', password),
  'env password': inside(
    'export DB_PASSWORD="',
    password.filter((text) => !/["\\]/.test(text)),
    '"',
  ),
  'yaml password': inside('  password: ', password),
  'json password': inside('{"user":"app","password":"', simplePassword, '","port":5432}'),
  'json in json': inside(String.raw`"{\"client_secret\":\"`, simplePassword, String.raw`\"}"`),
  'api key': inside('API_KEY=', simplePassword),
  'api-key header': inside('x-api-key: ', simplePassword),
  'access token': inside('access_token=', simplePassword, '&scope=all'),
  'npmrc token': inside('//npm.example.com/:_authToken=', simplePassword),
  'option password': inside('docker login --username app --password ', simplePassword),
  'curl user': inside('curl -u app:', simplePassword, ' https://example.com'),
  'azure key': inside('AccountName=a;AccountKey=', base64(86), '==;EndpointSuffix=core.windows.net'),
};

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
            { level: 'failure' as const, title: `failed: ${text}`, message: context(text) },
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
      { numRuns: 40 },
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
    'error: PWD=/home/runner/work/shop/shop is not a directory',
    'fatal: repository ssh://git@github.com/acme/shop.git not found',
    'error: skipped global-navigation-component-of-the-page',
  ];
  for (const message of messages) {
    const { errorLine } = await readFailureLog(inChunks(message, 9), { steps: [], annotations: [] });
    assert.equal(errorLine, message);
  }
});
