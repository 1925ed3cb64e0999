import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import {
  address,
  databaseUrl,
  fifoQueueUrl,
  flag,
  headerNames,
  integer,
  keyList,
  mailAddresses,
  networkList,
  oneOf,
  originList,
  people,
  portList,
  queryString,
  scopes,
  site,
  url,
  type SettingType,
} from './setting-types.ts';

/** Which texts a setting accepts, with their values, and which it refuses. */
interface Cases<T> {
  type: SettingType<T>;
  /** The message of a refusal completes "should be …". */
  message: RegExp;
  accepted: Record<string, T>;
  refused: readonly string[];
}

function settingCases<T>(name: string, { type, message, accepted, refused }: Cases<T>): void {
  test(`${name} accepts its values`, () => {
    for (const [text, value] of Object.entries(accepted)) assert.deepEqual(type(text), value, text);
  });
  test(`${name} refuses other texts and says what it should be`, () => {
    for (const text of refused) assert.throws(() => type(text), { message }, JSON.stringify(text));
  });
}

settingCases('a whole number', {
  type: integer(1, 100),
  message: /^a whole number from 1 to 100$/,
  accepted: { '1': 1, '100': 100, '007': 7 },
  refused: ['', ' ', '0', '101', '-1', '+1', '1.0', '1e1', '0x1', ' 1', '1 ', '٣', 'one', '9'.repeat(400)],
});

settingCases('a flag', {
  type: flag,
  message: /^0 or 1$/,
  accepted: { '0': false, '1': true },
  refused: ['', 'true', 'false', 'yes', '01', ' 1'],
});

settingCases('a choice', {
  type: oneOf('postgres', 'sqs'),
  message: /^one of postgres, sqs$/,
  accepted: { postgres: 'postgres', sqs: 'sqs' },
  refused: ['', 'Postgres', 'postgres ', 'constructor', '__proto__'],
});

settingCases('a URL', {
  type: url('https:', 'http:'),
  message: /^a URL that starts with https:\/\/ or http:\/\/$/,
  accepted: {
    'https://ci.example.com': 'https://ci.example.com',
    'https://ci.example.com/': 'https://ci.example.com',
    'http://ci.example.com/a//': 'http://ci.example.com/a',
  },
  refused: ['', 'ci.example.com', 'ftp://ci.example.com', 'javascript:alert(1)', 'https://', 'https:// x'],
});

settingCases('the URL of a database', {
  type: databaseUrl,
  message: /postgres/,
  accepted: {
    'postgres://u:p@db:5432/forgewatch': 'postgres://u:p@db:5432/forgewatch',
    'postgresql:///forgewatch?host=/run/postgresql': 'postgresql:///forgewatch?host=/run/postgresql',
  },
  refused: ['postgres://u:p@db:5432', 'postgres://u:p@db:5432/', 'mysql://u@db/forgewatch', 'forgewatch'],
});

settingCases('an address', {
  type: address('https:'),
  message: /address|URL/,
  accepted: {
    'https://ci.example.com/base/': 'https://ci.example.com/base',
    'https://[::1]:8443/a': 'https://[::1]:8443/a',
    'HTTPS://ci.example.com': 'HTTPS://ci.example.com',
  },
  refused: [
    'https://ann@ci.example.com',
    'https://ann:secret@ci.example.com',
    'https://ci.example.com?a=1',
    'https://ci.example.com/#top',
    'https://ci.example.com\\@evil.example',
    'https://ci.example.com/a b',
    'http://ci.example.com',
  ],
});

settingCases('a site', {
  type: site('https:', 'http:'),
  message: /address|URL/,
  accepted: {
    'https://ci.example.com/': 'https://ci.example.com',
    'HTTPS://CI.Example.com:443': 'https://ci.example.com',
    'http://localhost:8787': 'http://localhost:8787',
  },
  refused: [
    'https://ci.example.com/base',
    'https://ci.example.com/?a',
    'https://u@ci.example.com',
    'localhost',
  ],
});

settingCases('the URL of a FIFO queue', {
  type: fifoQueueUrl,
  message: /Amazon SQS FIFO queue/,
  accepted: {
    'https://sqs.eu-central-1.amazonaws.com/123456789012/forgewatch.fifo':
      'https://sqs.eu-central-1.amazonaws.com/123456789012/forgewatch.fifo',
    'http://localhost:4566/000000000000/q.fifo': 'http://localhost:4566/000000000000/q.fifo',
  },
  refused: [
    'https://sqs.eu-central-1.amazonaws.com/123456789012/forgewatch',
    'https://sqs.eu-central-1.amazonaws.com',
    'https://user@sqs.eu-central-1.amazonaws.com/1/q.fifo',
    'https://sqs.eu-central-1.amazonaws.com/1/q.fifo?x=1',
    'sqs.eu-central-1.amazonaws.com/1/q.fifo',
  ],
});

settingCases('a list of origins', {
  type: originList,
  message: /origins such as|comma-separated list/,
  accepted: {
    'https://ci.example.com': ['https://ci.example.com'],
    'https://a.example, http://b.example:8080': ['https://a.example', 'http://b.example:8080'],
  },
  refused: [
    '',
    '*',
    'null',
    'https://*.example.com',
    'https://ci.example.com/',
    'https://ci.example.com:443',
    'HTTPS://ci.example.com',
    'https://a.example,',
    'chrome-extension://abcdef',
  ],
});

settingCases('a list of people', {
  type: people,
  message: /addresses such as|comma-separated list/,
  accepted: {
    'Ann@Example.com, *@Acme.org, Bob-1': {
      addresses: ['ann@example.com'],
      domains: ['acme.org'],
      logins: ['bob-1'],
    },
  },
  refused: ['', 'ann,', '*', '@example.com', 'ann@', '*@*', 'a@b@c', 'ann <ann@example.com>', '-bob', 'a b'],
});

settingCases('mail addresses', {
  type: mailAddresses,
  message: /mail addresses such as|comma-separated list/,
  accepted: { 'ops@example.com,dev@example.com': 'ops@example.com, dev@example.com' },
  refused: ['', 'ops', 'ops@example.com;dev@example.com', 'Ops <ops@example.com>', 'a@b, ', 'a@b\nBcc: c@d'],
});

settingCases('a list of networks', {
  type: networkList,
  message: /networks such as|comma-separated list/,
  accepted: { '10.0.0.0/8, fd00::/8': ['10.0.0.0/8', 'fd00::/8'], '192.0.2.7/32': ['192.0.2.7/32'] },
  refused: [
    '',
    '10.0.0.0',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0/8x',
    'example.com',
    '10.0.0.0/8 10.1.0.0/16',
  ],
});

settingCases('a list of ports', {
  type: portList,
  message: /ports from 1 to 65535/,
  accepted: { '443': [443], '80, 8080': [80, 8080] },
  refused: ['', '0', '65536', '-1', 'https', '80,', '80-90'],
});

settingCases('names of headers', {
  type: headerNames,
  message: /header names|comma-separated list/,
  accepted: { 'X-Forwarded-For, Via': ['x-forwarded-for', 'via'] },
  refused: ['', 'X Forwarded', 'x:y', 'x\r\ny', 'naïve'],
});

settingCases('a query', {
  type: queryString,
  message: /^a query such as/,
  accepted: {
    'a=1&b=2&a=3': [
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
    ],
    a: [['a', '']],
  },
  refused: ['', '=1', '&', 'a=1&=2'],
});

settingCases('scopes', {
  type: scopes,
  message: /^scopes /,
  accepted: { openid: 'openid', 'openid  email\tprofile': 'openid email profile' },
  refused: ['', 'email', 'openidx', 'openid aws.cognito.signin.user.admin'],
});

test('a list of keys accepts 32 random bytes each, the first of which encrypts', () => {
  const [one, two] = [randomBytes(32), randomBytes(32)];
  assert.deepEqual(keyList(`${one.toString('base64')}, ${two.toString('base64')}`), [one, two]);
});

test('a key that is short, long, hexadecimal or no random text is refused', () => {
  const texts = ['', 'secret', randomBytes(31).toString('base64'), randomBytes(33).toString('base64')];
  for (const text of [
    ...texts,
    randomBytes(32).toString('hex'),
    Buffer.alloc(32).toString('base64'),
    'a'.repeat(43),
  ])
    assert.throws(() => keyList(text), /32 random bytes|comma-separated/, text);
});
