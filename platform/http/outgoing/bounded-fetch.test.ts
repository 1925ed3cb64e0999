import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startEndlessServer } from '#test/support/network/endless-server.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { serve } from '#test/support/network/serve.ts';
import { ResponseTooLarge, boundedFetch } from './bounded-fetch.ts';

const maxBytes = 100_000;
const bounded = boundedFetch(maxBytes);

let body = Buffer.alloc(0);
let headers: Record<string, string> = {};
let status = 200;
const { url: origin } = await serve((_request, response) => {
  response.writeHead(status, headers).end(body);
});
const url = `${origin}/page?secret`;

test('an endless response is aborted', async () => {
  const endless = await startEndlessServer();
  await assert.rejects(bounded(endless.url), {
    name: 'ResponseTooLarge',
    message: `the response of ${endless.url} exceeds ${maxBytes} bytes`,
  });
  await waitUntil('the connection to end', () => endless.open() === 0);
});

test('a response of exactly the limit is read, one byte more is refused', async () => {
  body = Buffer.alloc(maxBytes, 'a');
  assert.equal((await (await bounded(url)).text()).length, maxBytes);
  body = Buffer.alloc(maxBytes + 1, 'a');
  await assert.rejects(bounded(url), ResponseTooLarge);
});

test('a compressed response counts by its decompressed size', async () => {
  body = gzipSync(Buffer.alloc(50 * maxBytes));
  headers = { 'content-encoding': 'gzip' };
  assert.ok(body.length < maxBytes);
  await assert.rejects(bounded(url), ResponseTooLarge);
});

test('status, headers, URL and a missing body are preserved', async () => {
  body = Buffer.from('{"a":1}');
  headers = { 'content-type': 'application/json', link: '<next>' };
  status = 418;
  const answer = await bounded(url);
  assert.deepEqual([answer.status, answer.headers.get('link'), answer.url], [418, '<next>', url]);
  assert.deepEqual(await answer.json(), { a: 1 });
  body = Buffer.alloc(0);
  status = 204;
  assert.equal((await bounded(url)).body, null);
});

test('the time limit of a call covers its body', async () => {
  const slow = await serve((_request, response) => void response.write('a'));
  const call = bounded(slow.url, { signal: AbortSignal.timeout(50) });
  await assert.rejects(call, { name: 'TimeoutError' });
});
