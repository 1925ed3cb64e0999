import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '#platform/runtime/settings/config.ts';
import { checkEnvironment, checkSettings } from './doctor-settings.ts';

const cases: [NodeJS.ProcessEnv, string, string, RegExp][] = [
  [{}, 'public address', 'note', /only be reached from this machine\. Set PUBLIC_URL and HOST/],
  [
    { HOST: '0.0.0.0', OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'x' },
    'public address',
    'note',
    /only be reached from this machine/,
  ],
  [{ PUBLIC_URL: 'http://ci.example.com' }, 'public address', 'wrong', /sessions require HTTPS/],
  [{ PUBLIC_URL: 'https://ci.example.com' }, 'public address', 'note', /TRUSTED_PROXIES is unset/],
  [
    { PUBLIC_URL: 'https://ci.example.com', TRUSTED_PROXIES: '10.0.0.0/8' },
    'public address',
    'ok',
    /^https:\/\/ci\.example\.com$/,
  ],
  [{}, 'sign-in', 'note', /SIGN_IN_BINDING is compat.*Set it to strict/],
  [{ SIGN_IN_BINDING: 'strict' }, 'sign-in', 'ok', /started a sign-in/],
  [{}, 'metrics', 'note', /not served/],
  [{ METRICS_TOKEN: 'x', METRICS_PORT: '9464' }, 'metrics', 'ok', /on PORT .* and on METRICS_PORT/],
  [{}, 'alarm', 'note', /are unset/],
  [{ ALARM_EMAIL: 'ops@example.com', SMTP_URL: 'smtp://localhost' }, 'alarm', 'ok', /configured receivers/],
  [{ ALARM_WEBHOOK_URL: 'https://hooks.example.com/x' }, 'alarm', 'ok', /configured receivers/],
];

for (const [env, check, verdict, text] of cases) {
  test(`the ${check} of ${JSON.stringify(env)} is ${verdict}`, () => {
    const finding = checkSettings(loadConfig(env)).find((each) => each.check === check);
    assert.equal(finding?.verdict, verdict);
    assert.match(finding.text, text);
  });
}

test('the settings of a check are those of a named environment, and misspelt ones are wrong', () => {
  const [, own, ...more] = checkEnvironment({ WORKER_CONCURENCY: '4' }, '/data', undefined);
  assert.match(own!.text, /environment of this command; no serve runs on \/data$/);
  assert.deepEqual(
    more.map(({ verdict, text }) => [verdict, text]),
    [['wrong', 'WORKER_CONCURENCY is no setting and has no effect. Was WORKER_CONCURRENCY meant?']],
  );
  const [version, running] = checkEnvironment({}, '/data', { pid: 4711, version: '0.0.9' });
  assert.equal(version?.verdict, 'wrong');
  assert.match(version.text, /running serve is 0\.0\.9: restart it/);
  assert.match(running!.text, /except PUBLIC_URL and WEB_ORIGINS, .* running serve \(process 4711\)/);
});
