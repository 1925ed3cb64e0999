import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { ForgeFailed, makeForgeClient } from './forge-client.ts';

test('the forge client follows no redirects, so codes, tokens and the secret reach only the forge', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(307, { location: '/elsewhere' }).end();
  }).listen(0, '127.0.0.1');
  after(() => server.close());
  await once(server, 'listening');
  const forgeUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
