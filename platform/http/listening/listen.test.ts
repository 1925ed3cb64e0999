import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import pino from 'pino';
import { listen } from './listen.ts';
import { makeHttpServer } from '../server.ts';

const log = pino({ level: 'silent' });

test('a failed listen names the address and the settings to change', async (t) => {
  const first = makeHttpServer(log);
  t.after(() => first.close());
  await listen(first, { host: '127.0.0.1', port: 0 }, 'PORT');
  const { port } = first.server.address() as AddressInfo;
  await assert.rejects(listen(makeHttpServer(log), { host: '127.0.0.1', port }, 'METRICS_PORT'), {
    message: `Another process already listens on 127.0.0.1:${port}. Stop it, or set METRICS_PORT.`,
  });
  await assert.rejects(listen(makeHttpServer(log), { host: '127.0.0.1', port }, 'METRICS_PORT', port), {
    message: `PORT and METRICS_PORT are both ${port}. Set one of them to another port.`,
  });
  // An address for documentation: no machine has it.
  await assert.rejects(
    listen(makeHttpServer(log), { host: '192.0.2.1', port: 0 }, 'PORT'),
    /192\.0\.2\.1:0 \(EADDRNOTAVAIL\)\. Set HOST/,
  );
});
