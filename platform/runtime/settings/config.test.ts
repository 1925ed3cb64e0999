import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, loadConfig } from './config.ts';
import { readSettings } from './settings.ts';
import type { SettingFault } from './setting.ts';

test('the defaults form a complete configuration', () => {
  const config = loadConfig({});
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.port, 8787);
  assert.deepEqual(config.webOrigins, ['http://localhost:8787', 'http://127.0.0.1:8787']);
  assert.equal(config.databaseUrl, undefined);
  assert.equal(config.runRetentionDays, undefined);
  assert.equal(config.visibilityTimeoutMs, 1.5 * config.workerTimeoutMs);
});

test('the defaults depend on the number of cores', () => {
  for (const [cores, connections, batches] of [
    [1, 4, 2],
    [8, 16, 8],
    [1024, 40, 32],
  ]) {
    const faults: SettingFault[] = [];
    const { databasePoolMax, workerConcurrency } = readSettings({}, faults, [], cores);
    assert.deepEqual([databasePoolMax, workerConcurrency, faults], [connections, batches, []]);
  }
});

test('the default of PUBLIC_URL follows PORT', () => {
  assert.equal(loadConfig({ PORT: '9000' }).publicUrl, 'http://localhost:9000');
});

test('PUBLIC_URL takes an origin and is the only default of WEB_ORIGINS', () => {
  for (const PUBLIC_URL of [
    'https://ci.example.com',
    'https://CI.example.com/',
    'https://ci.example.com:443',
  ]) {
    const { publicUrl, webOrigins } = loadConfig({ PUBLIC_URL });
    assert.deepEqual([publicUrl, webOrigins], ['https://ci.example.com', ['https://ci.example.com']]);
  }
  assert.match(
    faults({ PUBLIC_URL: 'https://ci.example.com/app' }).message,
    /should be an address without a path/,
  );
});

test('all faults are reported at once with value and expectation', () => {
  const error = faults({ PORT: '99999', LOG_LEVEL: 'loud', PUBLIC_URL: 'ftp://x' });
  assert.deepEqual(
    error.faults.map(({ name }) => name),
    ['PORT', 'PUBLIC_URL', 'LOG_LEVEL'],
  );
  assert.match(error.message, /PORT: is "99999", should be a whole number from 0 to 65535/);
});

test('an invalid secret is not shown', () => {
  const error = faults({
    ENCRYPTION_KEY: 'hunter2',
    FORGE_APP_WEBHOOK_SECRET: 'short-secret',
    DATABASE_URL: 'mysql://u:pw@h/d',
  });
  assert.doesNotMatch(error.message, /hunter2|short-secret|pw@h/);
  assert.equal(error.faults.length, 3);
});

for (const name of ['PUBLIC_URL', 'FORGE_URL', 'FORGE_API_URL', 'OIDC_ISSUER', 'COGNITO_REDIRECT_URL']) {
  test(`${name} takes only an address and hides credentials in an invalid one`, () => {
    const others = { OIDC_CLIENT_ID: 'x' };
    for (const address of [
      'https://ann:hunter2@ci.example.com',
      'https://hunter2@ci.example.com/app',
      'https://ann:a/hunter2@ci.example.com',
      'ann:hunter2@ci.example.com',
      'https://ci.example.com/app?token=hunter2',
      'https://ci.example.com/#hunter2',
      'https://ci.example.com/?',
      'https:ci.example.com',
      'https://ci.\texample.com',
    ]) {
      const error = faults({ ...others, [name]: address });
      assert.equal(error.faults[0]?.name, name, address);
      assert.match(error.message, /^\w+: is ".*", should be a/);
      assert.doesNotMatch(error.message, /hunter2/);
    }
    const path = name === 'PUBLIC_URL' ? '/' : '/app/';
    assert.ok(loadConfig({ ...others, [name]: `https://ci.example.com:8443${path}` }));
  });
}

test('QUEUE_URL takes only a FIFO queue', () => {
  for (const QUEUE_URL of [
    'https://sqs.eu-central-1.amazonaws.com/123456789012/forgewatch',
    'arn:aws:sqs:eu-central-1:123456789012:forgewatch.fifo',
    'https://sqs.eu-central-1.amazonaws.com/123456789012/forgewatch.fifo?a=b',
    'https://sqs.eu-central-1.amazonaws.com/.fifo',
    'postgres://h/123456789012/forgewatch.fifo',
  ])
    assert.match(
      faults({ QUEUE_URL }).message,
      /^QUEUE_URL: is ".*", should be the URL of an Amazon SQS FIFO queue/,
    );
  const QUEUE_URL = 'https://sqs.eu-central-1.amazonaws.com/123456789012/forgewatch.fifo';
  assert.equal(loadConfig({ QUEUE_URL }).queueUrl, QUEUE_URL);
});

test('DATABASE_DIRECT_URL needs DATABASE_URL', () => {
  assert.equal(
    faults({ DATABASE_DIRECT_URL: 'postgres://u:pw@h/d' }).message,
    'DATABASE_URL: is unset, should be set together with DATABASE_DIRECT_URL',
  );
});

test('DATABASE_URL must name the database', () => {
  for (const DATABASE_URL of [
    'postgres://u:hunter2@h',
    'postgres://u:hunter2@h/',
    'postgres://u:hunter2@h?sslmode=require',
  ])
    assert.equal(
      faults({ DATABASE_URL }).message,
      'DATABASE_URL: is (hidden), should be a URL that names the database, such as postgres://user:password@host:5432/forgewatch',
    );
});

test('URLs of a single receiver may contain credentials', () => {
  const databaseUrl = 'postgres://u:pw@h/d?sslmode=require';
  const smtpUrl = 'smtps://u:pw@mail.example.com?pool=true';
  const config = loadConfig({ DATABASE_URL: databaseUrl, SMTP_URL: smtpUrl });
  assert.deepEqual([config.databaseUrl, config.smtpUrl], [databaseUrl, smtpUrl]);
});

test('settings that belong together are reported together, and an invalid one is not reported as unset', () => {
  const cases: [NodeJS.ProcessEnv, string[]][] = [
    [
      { FORGE_CLIENT_ID: 'x' },
      ['FORGE_CLIENT_SECRET: is unset, should be set together with FORGE_CLIENT_ID'],
    ],
    [
      { FORGE_CLIENT_SECRET: 'x' },
      ['FORGE_CLIENT_ID: is unset, should be set together with FORGE_CLIENT_SECRET'],
    ],
    [
      { OIDC_ISSUER: 'https://id.example.com' },
      ['OIDC_CLIENT_ID: is unset, should be set together with OIDC_ISSUER'],
    ],
    [
      { FORGE_APP_ID: '1' },
      [
        'FORGE_APP_PRIVATE_KEY: is unset, should be set together with FORGE_APP_ID and FORGE_APP_SLUG',
        'FORGE_APP_SLUG: is unset, should be set together with FORGE_APP_ID and FORGE_APP_PRIVATE_KEY',
      ],
    ],
    [
      { FORGE_APP_ID: '1', FORGE_APP_SLUG: 'x', FORGE_APP_PRIVATE_KEY: 'no key' },
      ['FORGE_APP_PRIVATE_KEY: is (hidden), should be an RSA private key in PEM, as issued by the forge'],
    ],
    [
      { FORGE_CLIENT_ID: 'x', FORGE_CLIENT_SECRET: 'y', FORGE_URL: 'https://git.example.com' },
      ['FORGE_API_URL: is "https://api.github.com", should be the API URL of the forge at FORGE_URL'],
    ],
  ];
  for (const [env, lines] of cases) assert.deepEqual(faults(env).message.split('\n'), lines);
  assert.ok(loadConfig({ OIDC_CLIENT_ID: 'x' }));
});

for (const origin of [
  '*',
  'null',
  'ci.example.com',
  'https://ci.example.com/',
  'https://ci.example.com/app',
  'https://ci.example.com?x',
  'https://ci.example.com#x',
  'ftp://ci.example.com',
  'https://a.example,,https://b.example',
  'https://CI.example.com',
]) {
  test(`the origin allowlist refuses ${origin}`, () => {
    assert.deepEqual(
      faults({ WEB_ORIGINS: origin }).faults.map(({ name }) => name),
      ['WEB_ORIGINS'],
    );
  });
}

test('settings that would have no effect, or lock everybody out, are refused', () => {
  assert.match(
    faults({ ALARM_EMAIL: 'ops@example.com' }).message,
    /^SMTP_URL: is unset, .* with ALARM_EMAIL$/,
  );
  assert.match(
    faults({ PUBLIC_URL: 'https://ci.example.com', WEB_ORIGINS: 'https://other.example' }).message,
    /^WEB_ORIGINS: is "https:\/\/other\.example", should include https:\/\/ci\.example\.com/,
  );
  loadConfig({ ALARM_EMAIL: 'ops@example.com', SMTP_URL: 'smtp://localhost' });
  loadConfig({ ALARM_WEBHOOK_URL: 'https://hooks.example.com/x' });
  const both = 'https://other.example,https://ci.example.com';
  assert.equal(loadConfig({ PUBLIC_URL: 'https://ci.example.com', WEB_ORIGINS: both }).webOrigins.length, 2);
});

test('a key of few distinct bytes is refused', () => {
  assert.equal(faults({ ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64') }).faults.length, 1);
});

function faults(env: NodeJS.ProcessEnv): ConfigError {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
  }
  throw new assert.AssertionError({ message: 'the configuration was accepted' });
}

test('the demo sign-in is offered only in a local trial without another way to sign in', () => {
  for (const env of [{}, { HOST: 'localhost' }, { HOST: '::1', DEMO_SIGN_IN: 'on' }])
    assert.equal(loadConfig(env).demoSignIn, true, JSON.stringify(env));
  assert.equal(loadConfig({ DEMO_SIGN_IN: 'off' }).demoSignIn, false);
  for (const env of [
    { HOST: '0.0.0.0' },
    { PUBLIC_URL: 'https://ci.example.com' },
    { PUBLIC_URL: 'http://127.0.0.1.evil.example' },
    { OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'client' },
    { FORGE_CLIENT_ID: 'client', FORGE_CLIENT_SECRET: 'secret' },
  ]) {
    assert.equal(loadConfig(env).demoSignIn, false, JSON.stringify(env));
    assert.match(faults({ ...env, DEMO_SIGN_IN: 'on' }).message, /^DEMO_SIGN_IN: is "on", should be unset/);
  }
});
