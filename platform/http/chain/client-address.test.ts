import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { clientAddress } from './client-address.ts';
import { makeHttpServer } from '../server.ts';

const cases: [string[], string | undefined, string][] = [
  [[], '203.0.113.1', '127.0.0.1'],
  [['10.0.0.0/8'], '203.0.113.1', '127.0.0.1'],
  [['127.0.0.0/8'], undefined, '127.0.0.1'],
  [['127.0.0.0/8'], '203.0.113.1', '203.0.113.1'],
  [['127.0.0.0/8'], '198.51.100.7, 203.0.113.1', '203.0.113.1'],
  [['127.0.0.0/8', '10.0.0.0/8'], '198.51.100.7, 203.0.113.1, 10.1.2.3', '203.0.113.1'],
  [['127.0.0.0/8', '10.0.0.0/8'], '10.3.2.1,10.1.2.3', '10.3.2.1'],
  [['127.0.0.0/8', '2001:db8::/32'], '203.0.113.1, 2001:db8::1', '203.0.113.1'],
];

for (const [trustedProxies, forwarded, client] of cases) {
  test(`behind ${trustedProxies.join(' and ') || 'nothing'} a request forwarded for ${forwarded} has the address ${client}, as in Fastify`, async (t) => {
    const server = makeHttpServer(pino({ level: 'silent' }), { trustedProxies });
    const find = clientAddress(trustedProxies);
    server.get('/', (request) => [find(request.raw), request.ip]);
    t.after(() => server.close());
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    assert.deepEqual(await (await fetch(url, { headers })).json(), [client, client]);
  });
}
