import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as openid from 'openid-client';
import { isInvalidClient, providerFaultOf, refreshFaultOf } from './faults.ts';

/** The error that the library throws for an answer with an OAuth error code (RFC 6749, 5.2). */
function oauthError(status: number, error: string, description?: string): openid.ResponseBodyError {
  const cause = { error, ...(description === undefined ? {} : { error_description: description }) };
  return new openid.ResponseBodyError('server responded with an error', {
    cause,
    response: new Response(null, { status }),
  } as never);
}

const challenge = (status: number): openid.WWWAuthenticateChallengeError =>
  new openid.WWWAuthenticateChallengeError('server responded with a challenge', {
    cause: [{ scheme: 'basic', parameters: {} }],
    response: new Response(null, { status }),
  } as never);

const clientError = (code: string, cause?: unknown): openid.ClientError =>
  Object.assign(new openid.ClientError('it failed', { cause }), { code });

test('only a code or token that is not valid ends a session', () => {
  assert.equal(providerFaultOf(oauthError(400, 'invalid_grant')), 'refused');
  assert.equal(providerFaultOf(oauthError(401, 'invalid_grant')), 'refused');
});

test('an answer about this client is a mistake of the operator', () => {
  for (const [status, code] of [
    [401, 'invalid_client'],
    [400, 'unauthorized_client'],
    [400, 'unsupported_grant_type'],
    [403, 'access_denied'],
  ] as const)
    assert.equal(providerFaultOf(oauthError(status, code)), 'misconfigured', code);
  assert.equal(providerFaultOf(challenge(401)), 'misconfigured');
});

test('a provider that is overloaded, restarting or slow is away for a while', () => {
  for (const [status, code] of [
    [400, 'temporarily_unavailable'],
    [400, 'server_error'],
    [400, 'slow_down'],
    [429, 'invalid_request'],
    [408, 'anything'],
    [500, 'anything'],
    [503, 'invalid_client'],
  ] as const)
    assert.equal(providerFaultOf(oauthError(status, code)), 'unavailable', `${status} ${code}`);
  for (const status of [429, 500, 502, 503]) assert.equal(providerFaultOf(challenge(status)), 'unavailable');
});

test('a connection that fails is no answer', () => {
  for (const error of [
    new TypeError('fetch failed'),
    new Error('socket hang up'),
    clientError('OAUTH_TIMEOUT'),
    clientError('OAUTH_ABORT'),
    clientError('OAUTH_PARSE_ERROR'),
    undefined,
    null,
    'text',
  ])
    assert.equal(providerFaultOf(error), 'unavailable', String(error));
});

test('a page of a proxy counts by its status', () => {
  const page = (status: number) => clientError('OAUTH_RESPONSE_IS_NOT_CONFORM', new Response('', { status }));
  assert.equal(providerFaultOf(page(502)), 'unavailable');
  assert.equal(providerFaultOf(page(404)), 'misconfigured');
  assert.equal(providerFaultOf(clientError('OAUTH_RESPONSE_IS_NOT_CONFORM')), 'unavailable');
});

test('an answer whose tokens are wrong cannot be trusted', () => {
  for (const code of [
    'OAUTH_INVALID_RESPONSE',
    'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
    'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
    'OAUTH_UNSUPPORTED_OPERATION',
  ])
    assert.equal(providerFaultOf(clientError(code)), 'invalid', code);
});

test('a refresh token that Dex calls used or expired is refused', () => {
  for (const description of [
    'Refresh token is invalid or has already been claimed by another client.',
    'Refresh token expired.',
    'The refresh token is INVALID',
  ])
    assert.equal(refreshFaultOf(oauthError(400, 'invalid_request', description)), 'refused', description);
});

test('another invalid request is still a mistake of the operator', () => {
  for (const description of [
    undefined,
    '',
    'Missing parameter',
    'invalid refresh',
    'refresh tokens are invalid',
  ])
    assert.equal(
      refreshFaultOf(oauthError(400, 'invalid_request', description)),
      'misconfigured',
      String(description),
    );
  assert.equal(refreshFaultOf(oauthError(400, 'invalid_scope', 'Refresh token expired.')), 'misconfigured');
});

test('a description of a megabyte is read in no time', () => {
  const description = `${'refresh token '.repeat(80_000)}expired`;
  assert.equal(refreshFaultOf(oauthError(400, 'invalid_request', description)), 'misconfigured');
});

test('a client is invalid by its code or by a challenge', () => {
  assert.equal(isInvalidClient(oauthError(400, 'invalid_client')), true);
  assert.equal(isInvalidClient(challenge(401)), true);
  for (const error of [
    challenge(400),
    oauthError(401, 'invalid_grant'),
    new Error('invalid_client'),
    undefined,
  ])
    assert.equal(isInvalidClient(error), false);
});
