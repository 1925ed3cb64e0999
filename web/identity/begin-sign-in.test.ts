import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { signInAddress } from './begin-sign-in.ts';

const authorizeUrl = 'https://id.example.com/authorize?client_id=forgewatch&scope=openid';
const values = { n: 'one time', nonce: 'another', codeVerifier: 'a long verifier' };

test('the address contains state, nonce and challenge, and no secret of the browser', async () => {
  const url = new URL(await signInAddress(authorizeUrl, values, '/integrations/1/runs?q=é'));
  assert.equal(url.origin, 'https://id.example.com');
  assert.equal(url.searchParams.get('client_id'), 'forgewatch');
  assert.equal(url.searchParams.get('nonce'), 'another');
  assert.equal(url.searchParams.get('code_challenge_method'), 'S256');
  assert.equal(
    url.searchParams.get('code_challenge'),
    createHash('sha256').update(values.codeVerifier).digest('base64url'),
  );
  const state = Buffer.from(url.searchParams.get('state') ?? '', 'base64url').toString();
  assert.deepEqual(JSON.parse(state), { redirect_url: '/integrations/1/runs?q=é', n: 'one time' });
  assert.ok(!url.href.includes('verifier'));
});
