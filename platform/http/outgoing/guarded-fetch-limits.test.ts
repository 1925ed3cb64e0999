import assert from 'node:assert/strict';
import type { lookup as resolve } from 'node:dns';
import { createServer as createTcpServer } from 'node:net';
import { test } from 'node:test';
import { failsWith, guardedTarget, listen } from '#test/support/network/guarded-target.ts';
import { namesAre } from '#test/support/network/names.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeGuardedFetch } from './guarded-fetch.ts';

const limits = { connectMs: 300, totalMs: 600, answerBytes: 16_384 };

test('a call to a server that never answers ends after the total time', async (t) => {
  const { guarded, url } = await guardedTarget(t, () => {}, { limits });
  await assert.rejects(guarded.post(url, { body: '' }), failsWith('timeout'));
});

test('a call to a server that only accepts the connection times out', async (t) => {
  const port = await listen(t, createTcpServer());
  const { lookup } = namesAre(['127.0.0.1']);
  const guarded = makeGuardedFetch({
    allowedNetworks: ['127.0.0.1/32'],
    allowedPorts: [port],
    lookup,
    limits,
  });
  await assert.rejects(
    guarded.post(`https://hooks.example.com:${port}/`, { body: '' }),
    failsWith('timeout'),
  );
});

test('a call ends when the server falls silent, before the total time', async (t) => {
  const { guarded, url } = await guardedTarget(t, (request, response) => {
    if (request.method === 'GET') response.writeHead(200).write('begun');
  });
  const call = { totalMs: 600_000, silentMs: 100 };
  await assert.rejects(guarded.request(url, { method: 'PUT', ...call }), failsWith('timeout'));
  const { body } = await guarded.request(url, { method: 'GET', ...call });
  const chunks: string[] = [];
  await assert.rejects(async () => {
    for await (const chunk of body) chunks.push(Buffer.from(chunk).toString());
  }, failsWith('timeout'));
  assert.deepEqual(chunks, ['begun']);
});

test('a call times out when the resolver never answers', async (t) => {
  const lookup = (() => {}) as unknown as typeof resolve;
  const { guarded, url } = await guardedTarget(t, () => {}, { limits, lookup });
  await assert.rejects(guarded.post(url, { body: '' }), failsWith('timeout'));
});

test('only the start of an endless response is read, and its status is returned', async (t) => {
  const trickling = await guardedTarget(t, (_request, response) => void response.writeHead(200).write('x'), {
    limits: { ...limits, totalMs: 600_000 },
  });
  assert.deepEqual(await trickling.guarded.post(trickling.url, { body: '' }), { status: 200 });
  let sent = 0;
  const endless = await guardedTarget(t, (_request, response) => {
    const more = (): void => {
      for (let isTaken = true; isTaken && !response.destroyed; sent += 65_536)
        isTaken = response.write(Buffer.alloc(65_536));
    };
    response.on('drain', more).writeHead(200);
    more();
  });
  assert.deepEqual(await endless.guarded.post(endless.url, { body: '' }), { status: 200 });
  assert.ok(sent < 16_000_000, `${sent} bytes`);
});

test('a loop over the body that ends early closes a kept connection', async (t) => {
  let isClosed = false;
  const { guarded, url } = await guardedTarget(
    t,
    (_request, response) => {
      response.on('close', () => (isClosed = true));
      response.writeHead(200).write('endless');
    },
    { keepsConnections: true },
  );
  const answer = await guarded.request(url, { method: 'GET', totalMs: 60_000 });
  for await (const chunk of answer.body) {
    assert.ok(chunk.length > 0);
    break;
  }
  await waitUntil('the connection to close', () => isClosed);
});

test('an abort or dispose ends the call immediately', async (t) => {
  const { guarded, url } = await guardedTarget(t, () => giveUp.abort());
  const giveUp = new AbortController();
  await assert.rejects(guarded.post(url, { body: '', signal: giveUp.signal }), failsWith('ended'));
  const stopping = await guardedTarget(t, () => stopping.guarded.dispose());
  await assert.rejects(stopping.guarded.post(stopping.url, { body: '' }), failsWith('ended'));
});
