import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForgeFailed, makeForgeClient } from './forge-client.ts';
import { serve } from '#test/support/network/serve.ts';

test('the forge client follows no redirects, so codes, tokens and the secret reach only the forge', async () => {
  const asked: string[] = [];
  const { url: forgeUrl } = await serve((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  const forge = makeForgeClient({
    forgeUrl,
    forgeApiUrl: forgeUrl,
    clientId: 'client',
    clientSecret: 'secret',
    redirectUri: 'http://localhost/callback',
  });
  await assert.rejects(forge.exchangeCode({ code: 'code', codeVerifier: 'verifier' }), ForgeFailed);
  await assert.rejects(forge.readProfile('token'), ForgeFailed);
  assert.ok(asked.length >= 2);
  assert.ok(!asked.includes('/elsewhere'));
});
