import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { test } from 'node:test';
import { olderNode } from '#test/support/product/older-node.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { startProduct } from '#test/support/product/product-process.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const database = await createTestDatabase();
const directory = await makeTemporaryDirectory();

const env = {
  ...productEnv(database.url, directory),
};
const startServe = (node?: string) => startProduct('serve', env, node);

test('a Ctrl-C that arrives twice, from the terminal and passed on by a parent, is one, and drains', async () => {
  const serve = await startServe();
  // Two of the same may arrive as one by themselves.
  serve.signal('SIGINT');
  serve.signal('SIGTERM');
  assert.equal(await serve.exited, 0);
  assert.equal((await readdir(directory)).includes('running.json'), false);
});

test(
  'nor does it count twice where an older Node hands over to the one of the product',
  { skip: olderNode === undefined && 'there is no older Node here' },
  async () => {
    const serve = await startServe(olderNode);
    serve.signal('SIGINT');
    assert.equal(await serve.exited, 0);
    assert.equal((await readdir(directory)).includes('running.json'), false);
  },
);

test('a process that drains ends at the second signal', async () => {
  const serve = await startServe();
  const { hostname, port } = new URL(serve.ready);
  const half = connect(Number(port), hostname).on('error', () => {});
  await once(half, 'ready');
  half.write('POST /api/import/x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
  await fetch(new URL('/healthz', serve.ready));
  let hasEnded = false;
  void serve.exited.then(() => (hasEnded = true));
  await waitUntil(
    'the end',
    () => {
      serve.signal('SIGTERM');
      return hasEnded;
    },
    8_000,
  );
  assert.equal(await serve.exited, 1);
});
