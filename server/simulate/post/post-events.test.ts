import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { verify } from '@octokit/webhooks-methods';
import type { SimulatedEvent } from '../event.ts';
import { createSimulator } from '../simulator.ts';
import { postEvents, startPosting } from './post-events.ts';
import { serve } from '#test/support/network/serve.ts';

const secret = 'correct horse battery staple';
const integrationId = '0198d1f0-7a5c-7b1e-9d1e-2f3c4b5a6978';

interface Received {
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** The server's reaction to the n-th request: a status, or a broken connection. */
type Behaviour = (nth: number, received: Received) => number | 'drop';

async function startServer(behave: Behaviour) {
  const received: Received[] = [];
  const { url: baseUrl } = await serve(async (request, response) => {
    const chunks = await request.toArray();
    const one = { url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() };
    received.push(one);
    answer(response, behave(received.length, one));
  });
  return { received, baseUrl };
}

function answer(response: ServerResponse, outcome: number | 'drop'): void {
  if (outcome === 'drop') {
    response.socket?.destroy();
    return;
  }
  const problem = { code: outcome === 503 ? 'try_again' : 'invalid_signature' };
  response.writeHead(outcome, { 'content-type': 'application/json' });
  response.end(JSON.stringify(outcome === 200 ? { message: 'ok' } : problem));
}

function events(count: number): SimulatedEvent[] {
  return [...createSimulator({ seed: 1, startAt: new Date(), timeScale: 6 }).stream({ rate: 5 }).take(count)];
}

test('each event has the path, headers, signature and body of a forge', async () => {
  const { received, baseUrl } = await startServer(() => 200);
  const sent = events(60);
  const summary = await postEvents({
    baseUrl: `${baseUrl}/forgewatch/`,
    integrationId,
    secret,
    events: sent,
  });
  assert.deepEqual([summary.sent, summary.accepted, summary.lost], [60, 60, 0]);
  for (const one of received) {
    assert.equal(one.url, `/forgewatch/api/import/${integrationId}`);
    const signature = one.headers['x-hub-signature-256'];
    assert.ok(typeof signature === 'string' && (await verify(secret, one.body, signature)));
    const event = sent.find(({ deliveryId }) => deliveryId === one.headers['x-forge-delivery']);
    assert.equal(one.headers['x-forge-event'], event?.eventType);
    assert.deepEqual(JSON.parse(one.body), JSON.parse(JSON.stringify(event?.payload)));
  }
});

test('every event is accepted and reported once despite 503 answers and broken connections', async () => {
  const { received, baseUrl } = await startServer((nth) =>
    nth % 5 === 0 ? 503 : nth % 7 === 0 ? 'drop' : 200,
  );
  const accepted: string[] = [];
  const sent = events(80);
  const onAccepted = (id: string): unknown => accepted.push(id);
  const summary = await postEvents({
    baseUrl,
    integrationId,
    secret,
    events: sent,
    concurrency: 4,
    onAccepted,
  });
  assert.deepEqual([summary.sent, summary.accepted, summary.lost], [80, 80, 0]);
  assert.deepEqual(accepted.toSorted(), sent.map(({ deliveryId }) => deliveryId).toSorted());
  assert.equal(summary.byStatus['200'], 80);
  assert.equal(summary.byStatus['503'], summary.byProblem['try_again']);
  assert.equal(summary.retries, received.length - 80);
  assert.ok((summary.byStatus['UND_ERR_SOCKET'] ?? 0) + (summary.byStatus['ECONNRESET'] ?? 0) > 0);
  const counted = Object.values(summary.byEventType).reduce((sum, count) => sum + count, 0);
  assert.equal(counted, 80);
});

test('a permanent refusal is not retried, and its code is counted', async () => {
  const { received, baseUrl } = await startServer(() => 401);
  const summary = await postEvents({ baseUrl, integrationId, secret, events: events(5) });
  assert.deepEqual([summary.accepted, summary.lost, received.length], [0, 5, 5]);
  assert.deepEqual([summary.byStatus, summary.byProblem], [{ 401: 5 }, { invalid_signature: 5 }]);
});

test('Retry-After delays the next attempt, and a value beyond the limit gives up at once', async () => {
  const retryAfter = ['1', '3600'];
  const { url: baseUrl } = await serve((request, response) => {
    request.resume();
    const value = retryAfter.shift();
    response
      .writeHead(value === undefined ? 200 : 503, value === undefined ? {} : { 'retry-after': value })
      .end();
  });
  const startedAt = performance.now();
  const summary = await postEvents({ baseUrl, integrationId, secret, events: events(1) });
  assert.deepEqual([summary.lost, summary.retries], [1, 1]);
  // Timers may fire a millisecond early.
  assert.ok(performance.now() - startedAt >= 995);
});

test('the average rate matches the requested one, and the summary reports it', async () => {
  const { baseUrl } = await startServer(() => 200);
  const target = { baseUrl, integrationId, secret, events: events(80) };
  const summary = await postEvents({ ...target, rate: 200 });
  assert.equal(summary.sent, 80);
  assert.ok(summary.seconds >= 79 / 200 - 0.1);
  assert.ok(summary.achievedRate <= 80 / (79 / 200 - 0.1));
  assert.equal(summary.requestedRate, 200);
});

test('a service that cannot keep up lowers the achieved rate instead of piling up', async () => {
  const held: ServerResponse[] = [];
  const { url: baseUrl } = await serve((request, response) => {
    request.resume();
    held.push(response);
    if (held.length === 2) for (const one of held.splice(0)) one.end();
  });
  const target = { baseUrl, integrationId, secret, events: events(40), concurrency: 2 };
  const summary = await postEvents({ ...target, rate: 1_000_000 });
  assert.equal(summary.accepted, 40);
  assert.ok(summary.achievedRate < 100_000);
});

test('an abort stops new events, lets open requests finish and resolves', async () => {
  const stop = new AbortController();
  const { received, baseUrl } = await startServer((nth) => {
    if (nth === 10) stop.abort();
    return 200;
  });
  const endless = createSimulator({ seed: 2, startAt: new Date() }).stream({ rate: 5 });
  const posting = startPosting({ baseUrl, integrationId, secret, events: endless, signal: stop.signal });
  const summary = await posting.done;
  assert.equal(summary.sent, received.length);
  assert.deepEqual([summary.accepted, summary.lost], [summary.sent, 0]);
  assert.equal(endless.next().done, true, 'the stream is closed');
});

test('an abort does not wait for a service that never answers', { timeout: 8000 }, async () => {
  const stop = new AbortController();
  const { url: baseUrl } = await serve(() => stop.abort());
  const target = { baseUrl, integrationId, secret, events: events(5), signal: stop.signal };
  const summary = await postEvents(target);
  assert.ok(summary.sent > 0);
  assert.deepEqual([summary.accepted, summary.lost], [0, summary.sent]);
});

test('an abort ends the retries of an unreachable service, and the events are lost', async () => {
  const { baseUrl } = await startServer(() => 200);
  const stop = new AbortController();
  const unused = baseUrl.replace(/\d+$/, '1');
  const target = { baseUrl: unused, integrationId, secret, events: events(50), concurrency: 3 };
  const posting = startPosting({ ...target, signal: stop.signal });
  while ((posting.summary().byStatus['ECONNREFUSED'] ?? 0) < 3) await new Promise(setImmediate);
  stop.abort();
  const summary = await posting.done;
  assert.deepEqual([summary.accepted, summary.lost], [0, summary.sent]);
});
