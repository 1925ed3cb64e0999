import assert from 'node:assert/strict';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { deriveKey } from '#platform/runtime/secrets/keys.ts';
import { realtimePolicy as policy } from '#server/realtime/policy.ts';
import { makeTokens } from './ws-token.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const audience = 'http://localhost:8787';
const now = Date.parse('2026-01-01T00:00:00.500Z');
const tokens = makeTokens({ keys: [newKey], audience, policy });
const userId = randomUUID();
const sessionId = randomUUID();
const idsOf = (count: number): string[] => Array.from({ length: count }, () => randomUUID());

test('a token says who may connect to what, until when', () => {
  for (const count of [0, 1, 20, 21, 100]) {
    const integrationIds = idsOf(count);
    const { token, expiresAt } = tokens.mint({ userId, sessionId, integrationIds, now });
    const claims = tokens.verify(token, now);
    assert.equal(claims?.userId, userId);
    assert.deepEqual(claims?.integrationIds, integrationIds);
    assert.equal(expiresAt, '2026-01-01T00:01:00.000Z');
    assert.equal(claims?.expiresAt.toISOString(), expiresAt);
    assert.ok(token.length <= 3_400, `${count} ids make ${token.length} characters`);
  }
});

test('above 100 integrations a token says all, and stays short', () => {
  const { token } = tokens.mint({ userId, sessionId, integrationIds: idsOf(500), now });
  assert.equal(tokens.verify(token, now)?.integrationIds, 'all');
  assert.ok(token.length < 400);
});

test('each token is different, so that one use of each can be told apart', () => {
  const jtis = Array.from({ length: 100 }, () => {
    const { token } = tokens.mint({ userId, sessionId, integrationIds: [], now });
    return tokens.verify(token, now)?.jti;
  });
  assert.equal(new Set(jtis).size, 100);
});

test('a token is good from its making to its expiry, and some seconds around for other clocks', () => {
  const { token } = tokens.mint({ userId, sessionId, integrationIds: [], now });
  const isGood = (at: number): boolean => tokens.verify(token, at) !== undefined;
  const issued = Date.parse('2026-01-01T00:00:00Z');
  assert.ok(isGood(issued - policy.tokenLeewayMs));
  assert.ok(!isGood(issued - policy.tokenLeewayMs - 1));
  assert.ok(isGood(issued + policy.tokenLifetimeMs + policy.tokenLeewayMs - 1));
  assert.ok(!isGood(issued + policy.tokenLifetimeMs + policy.tokenLeewayMs));
});

test('a change of any bit of any byte is refused', () => {
  const { token } = tokens.mint({ userId, sessionId, integrationIds: idsOf(2), now });
  const bytes = Buffer.from(token);
  for (let index = 0; index < bytes.length; index += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[index] = (bytes[index] ?? 0) ^ (1 << bit);
      for (const encoding of ['latin1', 'utf8'] as const) {
        assert.equal(tokens.verify(changed.toString(encoding), now), undefined, `byte ${index}, bit ${bit}`);
      }
    }
  }
});

test('a token cut short, made longer or taken apart is refused', () => {
  const { token } = tokens.mint({ userId, sessionId, integrationIds: idsOf(1), now });
  const [kid = '', body = '', mac = ''] = token.split('.');
  const forged = [
    '',
    '.',
    '..',
    token.slice(0, -1),
    `${token}=`,
    `${token}.`,
    ` ${token}`,
    `${kid}.${body}`,
    `${kid}.${body}.`,
    `.${body}.${mac}`,
    `${kid}..${mac}`,
    `${kid}.${body}.${Buffer.from(mac, 'base64url').toString('base64')}`,
    `${kid}.${body}.${Buffer.from(mac, 'base64url').toString('hex')}`,
    `${kid}.${body}.${'A'.repeat(43)}`,
    'x'.repeat(policy.tokenMaxLength + 1),
  ];
  for (const each of forged) assert.equal(tokens.verify(each, now), undefined, each);
});

test('keys are replaced without a stop: the first signs, all verify, a dropped one is forgotten', () => {
  const before = makeTokens({ keys: [oldKey], audience, policy });
  const next = makeTokens({ keys: [oldKey, newKey], audience, policy });
  const during = makeTokens({ keys: [newKey, oldKey], audience, policy });
  const ofOld = before.mint({ userId, sessionId, integrationIds: [], now }).token;
  const ofNew = during.mint({ userId, sessionId, integrationIds: [], now }).token;
  for (const ring of [before, next, during]) assert.ok(ring.verify(ofOld, now));
  for (const ring of [next, during, tokens]) assert.ok(ring.verify(ofNew, now));
  assert.equal(before.verify(ofNew, now), undefined);
  assert.equal(tokens.verify(ofOld, now), undefined);
  const [kid] = ofNew.split('.');
  assert.equal(tokens.verify(`${kid}.${ofOld.split('.').slice(1).join('.')}`, now), undefined);
});

test('a token of another deployment that shares the key is refused', () => {
  const other = makeTokens({ keys: [newKey], audience: 'https://elsewhere.example', policy });
  assert.equal(
    tokens.verify(other.mint({ userId, sessionId, integrationIds: [], now }).token, now),
    undefined,
  );
});

test('a token that is signed for another purpose or malformed is refused', () => {
  const [kid = ''] = tokens.mint({ userId, sessionId, integrationIds: [], now }).token.split('.');
  const key = deriveKey(newKey, `ws-token/${kid}`);
  const sign = (payload: unknown, prefix: string): string => {
    const body = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)).toString(
      'base64url',
    );
    return `${kid}.${body}.${createHmac('sha256', key).update(`${prefix}${kid}.${body}`).digest('base64url')}`;
  };
  const good = {
    v: 1,
    sub: userId,
    sid: sessionId,
    int: [],
    iat: now / 1000 - 0.5,
    exp: now / 1000 + 59.5,
    jti: 'x',
    aud: audience,
  };
  assert.ok(tokens.verify(sign(good, 'ws-token/v1\n'), now));
  assert.equal(tokens.verify(sign(good, ''), now), undefined);
  const { aud: _aud, ...withoutAudience } = good;
  const bad = [
    'not json',
    'null',
    '[]',
    { ...good, v: 2 },
    { ...good, extra: 1 },
    { ...good, sub: 'somebody' },
    { ...good, sid: '' },
    { ...good, sid: 1 },
    { ...good, int: ['not-a-uuid'] },
    { ...good, int: 'AAAA' },
    { ...good, int: { 0: userId } },
    { ...good, exp: String(good.exp) },
    { ...good, exp: 1e300 * 1e300 },
    withoutAudience,
  ];
  for (const payload of bad) assert.equal(tokens.verify(sign(payload, 'ws-token/v1\n'), now), undefined);
});
