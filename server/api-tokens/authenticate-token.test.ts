import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import type { Database } from '#platform/database/database.ts';
import type { AppError } from '#platform/runtime/app-error.ts';
import { systemClock } from '#platform/runtime/clock.ts';
import { makeAuthenticateToken } from './authenticate-token.ts';
import type { FoundToken } from './store.ts';
import { makeToken } from './token-format.ts';

/** `authenticate` with a database that knows the given tokens, and counts the questions to it. */
function makeAuthenticate(valid: ReadonlySet<string> = new Set()) {
  const asked = { times: 0 };
  const tokens = { next: '' };
  const db = {
    withScope: async (): Promise<Partial<FoundToken> | undefined> => {
      asked.times += 1;
      if (!valid.has(tokens.next)) return undefined;
      return { tokenId: 'id', userId: 'ann', integrationIds: null, scopes: [], lastUsedAt: new Date() };
    },
  } as unknown as Database;
  const authenticate = makeAuthenticateToken({ db, clock: systemClock });
  const tryToken = async (token: string, ip: string): Promise<string> => {
    tokens.next = token;
    try {
      await authenticate({ ip } as FastifyRequest, token);
      return 'accepted';
    } catch (error) {
      return (error as AppError).code;
    }
  };
  return { asked, tryToken };
}

test('the database is asked about an invalid token once, from any address', async () => {
  const { asked, tryToken } = makeAuthenticate();
  const token = makeToken();
  for (let at = 1; at <= 200; at += 1)
    assert.equal(await tryToken(token, `203.0.113.${at}`), 'invalid_token');
  assert.equal(asked.times, 1);
});

test('the database is asked about twenty guesses of an address, and not about further ones', async () => {
  const { asked, tryToken } = makeAuthenticate();
  const answers = [];
  for (let count = 0; count < 500; count += 1) answers.push(await tryToken(makeToken(), '203.0.113.1'));
  assert.deepEqual(
    [answers[19], answers[20], answers[499]],
    ['invalid_token', ...Array(2).fill('too_many_requests')],
  );
  assert.equal(asked.times, 20);
  assert.equal(await tryToken(makeToken(), '203.0.113.2'), 'invalid_token');
});

test('a token that was accepted before is accepted at an address that guesses, and refused once it is revoked', async () => {
  const token = makeToken();
  const valid = new Set([token]);
  const { tryToken } = makeAuthenticate(valid);
  assert.equal(await tryToken(token, '203.0.113.2'), 'accepted');
  for (let count = 0; count < 30; count += 1) await tryToken(makeToken(), '203.0.113.1');
  assert.equal(await tryToken(token, '203.0.113.1'), 'accepted');
  valid.delete(token);
  assert.equal(await tryToken(token, '203.0.113.2'), 'invalid_token');
});
