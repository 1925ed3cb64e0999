import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '#platform/runtime/settings/config.ts';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { startIndependentProvider } from '#test/support/identity/independent-provider.ts';
import { startMailServer } from '#test/support/network/mail-server.ts';
import { checkIdentityProvider, checkMail } from './doctor-services.ts';

test('the identity provider check names the way to sign in or the obstacle', async (t) => {
  const provider = await startIndependentProvider({ redirectUris: ['http://localhost/api/auth/callback'] });
  t.after(() => provider.stop());
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const client = { OIDC_CLIENT_ID: provider.clientId, OIDC_CLIENT_SECRET: provider.clientSecret };
  const cases: [NodeJS.ProcessEnv, string, RegExp][] = [
    [{}, 'note', /demo sign-in: the server prints its address/],
    [{ DEMO_SIGN_IN: 'off' }, 'wrong', /Nobody can sign in: set FORGE_CLIENT_ID/],
    [{ HOST: '0.0.0.0' }, 'wrong', /Nobody can sign in: set FORGE_CLIENT_ID/],
    [{ FORGE_CLIENT_ID: 'a', FORGE_CLIENT_SECRET: 'b' }, 'ok', /sign in at https:\/\/github.com/],
    [{ OIDC_ISSUER: provider.issuer, ...client }, 'ok', new RegExp(provider.issuer)],
    [
      { OIDC_ISSUER: provider.issuer, ...client, OIDC_CLIENT_SECRET: 'another' },
      'wrong',
      /refuses to issue tokens: .*invalid_client.*Check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET/,
    ],
    [{ OIDC_ISSUER: nowhere, ...client }, 'wrong', /cannot be used: .*Check OIDC_ISSUER/],
  ];
  for (const [env, verdict, text] of cases) {
    const finding = await checkIdentityProvider(loadConfig(env));
    assert.equal(finding.verdict, verdict, finding.text);
    assert.match(finding.text, text);
  }
});

test('the mail check logs in at the server and never shows the password', async () => {
  const { url } = await startMailServer();
  assert.equal((await checkMail(loadConfig({ SMTP_URL: url }))).verdict, 'ok');
  assert.equal((await checkMail(loadConfig({}))).verdict, 'note');
  const nowhere = `smtp://me:my-password@127.0.0.1:${await freePort()}`;
  const { verdict, text } = await checkMail(loadConfig({ SMTP_URL: nowhere }));
  assert.equal(verdict, 'wrong');
  assert.match(text, /ECONNREFUSED|ESOCKET|ECONNECTION/);
  assert.doesNotMatch(text, /my-password/);
});
