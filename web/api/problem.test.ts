import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, isWorthRetrying, problemOf, retryAfter, unreachable } from './problem.ts';

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

test('a problem shows its detail, and takes the request id from the header', async () => {
  const body = { code: 'not_found', detail: 'Run not found' };
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

test('lost and failed requests are worth repeating, refused ones are not', () => {
  const failed = (status: number): ApiError => new ApiError('', { status, code: 'unknown' });
  for (const error of [new TypeError('fetch failed'), unreachable(), failed(500), failed(503)])
    assert.equal(isWorthRetrying(error), true);
  for (const status of [400, 401, 403, 404, 409, 422, 429])
    assert.equal(isWorthRetrying(failed(status)), false);
});

test('a limited request says when it is worth repeating, and is not repeated at once', async () => {
  const limited = (wait: string): Promise<ApiError> =>
    problemOf(json(429, { code: 'too_many_requests', title: 'Too many requests' }, { 'retry-after': wait }));
  const error = await limited('43');
  assert.deepEqual([retryAfter(error), isWorthRetrying(error)], [43_000, false]);
  for (const wait of ['0', '-1', '301', 'soon', '', 'Wed, 21 Oct 2026 07:28:00 GMT', '1e99', 'Infinity'])
    assert.equal(retryAfter(await limited(wait)), undefined, wait);
  assert.equal(retryAfter(new TypeError('fetch failed')), undefined);
});

test('an error of a proxy in JSON means the same as its page', async () => {
  for (const body of [
    { message: 'Service Unavailable' },
    { error: { code: 503 } },
    [],
    null,
    'busy',
    7,
    true,
    {},
  ]) {
    const error = await problemOf(Response.json(body, { status: 503 }));
    assert.deepEqual([error.code, error.status], ['unreachable', 503], JSON.stringify(body));
    assert.deepEqual(error.fields, []);
  }
});

test('a refusal of a proxy in JSON does not look like one of the server', async () => {
  const bodies = [{ detail: { reason: 'blocked' }, errors: 'none' }, { title: 7, code: 403 }, null, []];
  for (const body of bodies) {
    const error = await problemOf(Response.json(body, { status: 403, headers: { 'x-request-id': 'p1' } }));
    assert.deepEqual(
      [error.code, error.message],
      ['unknown', 'The server answered 403.'],
      JSON.stringify(body),
    );
    assert.deepEqual([error.requestId, error.fields], ['p1', []]);
  }
});

test('a body that ends early is the error page of a proxy', async () => {
  const error = await problemOf(new Response('{"code":"internal","title":"Int', { status: 500 }));
  assert.equal(error.code, 'unreachable');
});

test('a failure of the server itself stays distinct from a missing server', async () => {
  const error = await problemOf(json(500, { code: 'internal', detail: 'The server failed.' }));
  assert.deepEqual([error.code, error.message], ['internal', 'The server failed.']);
  assert.equal(isWorthRetrying(error), true);
});
