import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, isWorthRetrying, problemOf, unreachable } from './problem.ts';

const json = (status: number, body: object, headers: HeadersInit = {}): Response =>
  new Response(JSON.stringify(body), { status, headers });

test('a problem of the server keeps its text, code, request id and field errors', async () => {
  const errors = [{ field: 'label', message: 'is required' }];
  const facts = { code: 'validation_failed', title: 'Invalid', detail: 'Check the fields.', requestId: 'r1' };
  const error = await problemOf(json(400, { ...facts, errors }));
  assert.deepEqual(
    [error.message, error.status, error.code, error.requestId, error.fields],
    ['Check the fields.', 400, 'validation_failed', 'r1', errors],
  );
});

test('a problem without a detail shows its title, and takes the request id from the header', async () => {
  const body = { code: 'not_found', title: 'Run not found' };
  const error = await problemOf(json(404, body, { 'x-request-id': 'r2' }));
  assert.deepEqual([error.message, error.requestId, error.fields], ['Run not found', 'r2', []]);
});

test('an error page of a proxy means that the server is unreachable', async () => {
  for (const status of [500, 502, 503, 504]) {
    const error = await problemOf(new Response('<h1>Bad gateway</h1>', { status }));
    assert.deepEqual([error.code, error.status], ['unreachable', status]);
  }
});

test('a refusal that is not from the server is shown with its status', async () => {
  const error = await problemOf(new Response('<h1>Blocked</h1>', { status: 403 }));
  assert.deepEqual([error.code, error.status], ['unknown', 403]);
  assert.match(error.message, /403/);
});

test('lost, limited and failed requests are worth repeating, refused ones are not', () => {
  const failed = (status: number): ApiError => new ApiError('', { status, code: 'unknown' });
  for (const error of [new TypeError('fetch failed'), unreachable(), failed(429), failed(500), failed(503)])
    assert.equal(isWorthRetrying(error), true);
  for (const status of [400, 401, 403, 404, 409, 422]) assert.equal(isWorthRetrying(failed(status)), false);
});
