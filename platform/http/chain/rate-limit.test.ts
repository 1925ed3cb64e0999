import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { after, test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeHttpServer } from '../server.ts';
import { limitRate } from './rate-limit.ts';

test('a client that closes its connection before it is counted causes no internal error', async () => {
  const logged: string[] = [];
  const log = pino(
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        logged.push(chunk.toString());
        done();
      },
    }),
  );
  const app = makeHttpServer(log);
  after(() => app.close());
  // As if the connection was closed just then.
  app.addHook('onRequest', (request, _reply, done) => {
    request.raw.socket.destroy();
    done();
  });
  const count = limitRate({ perMinute: 60, by: 'address' });
  let isCounted = false;
  app.get('/', { onRequest: (request) => count(request).finally(() => (isCounted = true)) }, () => 'ok');
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await waitUntil('the request to be counted', () => isCounted);
  await app.close();
  assert.deepEqual(
    logged.filter((line) => line.includes('"level":50')),
    [],
  );
});

test('the API tokens of a person share a limit', async () => {
  const count = limitRate({ perMinute: 2, by: 'caller' });
  const requestOf = (userId: string, tokenId?: string) =>
    ({ caller: { userId, ...(tokenId === undefined ? {} : { token: { tokenId } }) } }) as FastifyRequest;
  await count(requestOf('ann'));
  await count(requestOf('ann', 'first'));
  await assert.rejects(count(requestOf('ann', 'second')), /Rate limit exceeded/);
  await count(requestOf('bob'));
});
