import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizeUrl } from './authorize-url.ts';

test('the authorization URL contains all fixed parameters, and the configured query overrides none of ours', () => {
  const extra = [
    ['identity_provider', 'Forge'],
    ['redirect_uri', 'https://evil.example'],
  ] as const;
  const url = authorizeUrl('https://id.example/authorize?tenant=a', {
    clientId: 'client',
    redirectUri: 'https://ci.example.com/api/auth/callback',
    scopes: 'openid email profile',
    extra,
  });
  assert.deepEqual(Object.fromEntries(new URL(url).searchParams), {
    tenant: 'a',
    identity_provider: 'Forge',
    response_type: 'code',
    client_id: 'client',
    redirect_uri: 'https://ci.example.com/api/auth/callback',
    scope: 'openid email profile',
  });
});
