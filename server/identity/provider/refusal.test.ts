import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as openid from 'openid-client';
import { explainRefusal, ProviderRefusal } from './refusal.ts';

function oauthError(status: number, body: Record<string, unknown>): openid.ResponseBodyError {
  const options = { cause: body, response: new Response(null, { status }) };
  return new openid.ResponseBodyError('server responded with an error', options as never);
}

function challenge(status: number, body: string): openid.WWWAuthenticateChallengeError {
  const options = { cause: [{ scheme: 'basic', parameters: {} }], response: new Response(body, { status }) };
  return new openid.WWWAuthenticateChallengeError('server responded with a challenge', options as never);
}

async function messageOf(error: unknown, secrets: readonly string[] = []): Promise<string> {
  const explained = await explainRefusal(error, secrets);
  assert.ok(explained instanceof ProviderRefusal);
  assert.equal(explained.cause, error);
  return explained.message;
}

test('the log shows the code and the description of the provider', async () => {
  const error = oauthError(400, { error: 'invalid_grant', error_description: 'The code is used.' });
  assert.equal(await messageOf(error), 'identity provider answered 400 invalid_grant: The code is used.');
  assert.equal(
    await messageOf(oauthError(401, { error: 'invalid_client' })),
    'identity provider answered 401 invalid_client',
  );
});

test('the body of a challenge is read too', async () => {
  const body = JSON.stringify({ error: 'invalid_client', error_description: 'Unknown client' });
  const explained = await explainRefusal(challenge(401, body), []);
  assert.ok(explained instanceof ProviderRefusal && explained.isInvalidClient);
  assert.match(explained.message, /401 invalid_client: Unknown client$/);
});

test('a challenge without a readable body shows its status', async () => {
  for (const body of ['', '<h1>Unauthorized</h1>', '[]', 'null', '{"error":7,"error_description":{}}'])
    assert.equal(await messageOf(challenge(401, body)), 'identity provider answered 401', body);
});

test('secrets that the provider quotes do not reach the log', async () => {
  const secrets = ['hunter2-secret', 'code.value', 'abc'];
  const description = 'code.value with hunter2-secret and hunter2-secret for abc';
  const message = await messageOf(
    oauthError(400, { error: 'invalid_grant', error_description: description }),
    secrets,
  );
  assert.equal(
    message,
    'identity provider answered 400 invalid_grant: [secret] with [secret] and [secret] for abc',
  );
});

test('a long value is not shown, because it may be a token', async () => {
  const token = `eyJ${'a'.repeat(60)}.b+c/d=`;
  const message = await messageOf(
    oauthError(400, { error: 'invalid_request', error_description: `Bad ${token}!` }),
  );
  assert.equal(message, 'identity provider answered 400 invalid_request: Bad [long value]!');
});

test('a long description is cut, and control characters make no new line', async () => {
  const description = `first\nsecond\u001b[31m ${'word '.repeat(1000)}`;
  const message = await messageOf(oauthError(500, { error: 'e', error_description: description }));
  assert.ok(message.length < 400);
  assert.match(message, /: first second \[31m word word/);
  assert.doesNotMatch(message, /\p{C}/u);
});

test('any other error stays as it is', async () => {
  for (const error of [new TypeError('fetch failed'), undefined, 'text'])
    assert.equal(await explainRefusal(error, []), error);
});
