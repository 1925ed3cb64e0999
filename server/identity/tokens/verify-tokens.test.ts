import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import type { ProviderClient } from '../provider/client.ts';
import { InvalidToken } from './token-pair.ts';
import { makeTokenVerifier } from './verify-tokens.ts';

const issuer = 'https://provider.example';
const clientId = 'forgewatch';
const [first, second] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')];
const startsAt = Math.floor(Date.now() / 1000);

let now = startsAt;
let keys: ReadonlyMap<string, CryptoKey>;
let looked: number;
let verifier: ReturnType<typeof makeTokenVerifier>;
beforeEach(() => {
  now = startsAt;
  keys = new Map([['one', first.publicKey]]);
  looked = 0;
  const find = async (kid: string) => {
    looked += 1;
    return keys.get(kid);
  };
  verifier = makeTokenVerifier({
    provider: { knownMetadata: () => ({ issuer }) } as ProviderClient,
    keys: {
      service: { name: 'keys', start: async () => {}, stop: async () => {} },
      current: () => keys,
      find,
      findNew: find,
    },
    clientId,
    clock: () => now * 1000,
    sessionMaxSeconds: 86_400,
  });
});

const sign = (claims: JWTPayload, header: object = {}): Promise<string> =>
  new SignJWT({ iss: issuer, aud: clientId, iat: startsAt, exp: startsAt + 3600, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
    .sign(first.privateKey);

const pairOf = async (sub: string, claims: JWTPayload = {}) => ({
  accessToken: await sign({ sub, token_use: 'access', client_id: clientId }),
  idToken: await sign({ sub, token_use: 'id', auth_time: startsAt, ...claims }),
});

test('a known token pair is not verified again', async () => {
  const pair = await pairOf('ann');
  const [once, again] = [await verifier.verify(pair), await verifier.verify(pair)];
  assert.equal(once.subject, 'ann');
  assert.equal(again, once);
  assert.equal(looked, 2, 'once for each of the two tokens');
});

test('a cached token pair becomes invalid when its key is withdrawn or replaced', async () => {
  const pair = await pairOf('ann');
  await verifier.verify(pair);
  for (const read of [new Map(), new Map([['one', second.publicKey]])]) {
    keys = read;
    await assert.rejects(verifier.verify(pair), InvalidToken);
  }
  keys = new Map([['one', first.publicKey]]);
  assert.equal((await verifier.verify(pair)).subject, 'ann');
});

test('a cached token pair expires in the second in which one of its tokens expires', async () => {
  const pair = await pairOf('ann', { exp: startsAt + 60 });
  now = startsAt + 59;
  await verifier.verify(pair);
  now = startsAt + 60;
  await assert.rejects(verifier.verify(pair), /expired/);
});

test('a cached token pair expires with the longest time since a sign-in', async () => {
  const pair = await pairOf('ann', { auth_time: startsAt - 86_000 });
  await verifier.verify(pair);
  now = startsAt + 400;
  await assert.rejects(verifier.verify(pair), /too long ago/);
});

test('tokens of two cached pairs, or a changed token, are refused', async () => {
  const [ann, ben] = [await pairOf('ann'), await pairOf('ben')];
  await Promise.all([ann, ben].map(verifier.verify));
  const changed = `${ann.accessToken.slice(0, -20)}${ann.accessToken.at(-20) === 'A' ? 'B' : 'A'}${ann.accessToken.slice(-19)}`;
  for (const wrong of [
    { accessToken: ann.accessToken, idToken: ben.idToken },
    { accessToken: ann.idToken, idToken: ann.accessToken },
    { accessToken: changed, idToken: ann.idToken },
    { accessToken: `${ann.accessToken}\n`, idToken: ann.idToken },
  ])
    for (let time = 0; time < 2; time += 1) await assert.rejects(verifier.verify(wrong), InvalidToken);
  assert.equal((await verifier.verify(ann)).subject, 'ann');
});

for (const [name, value] of [
  ['jwk', { kty: 'RSA', n: 'AQAB', e: 'AQAB' }],
  ['jku', 'https://evil.example/keys'],
  ['x5u', 'https://evil.example/chain'],
  ['x5c', ['AQAB']],
] as const) {
  test(`a token with ${name} is refused, although its signature is valid`, async () => {
    const { accessToken, idToken } = await pairOf('ann');
    const claims = { sub: 'ann', token_use: 'access', client_id: clientId };
    await verifier.verify({ accessToken, idToken });
    const bearing = await sign(claims, { [name]: value });
    await assert.rejects(verifier.verify({ accessToken: bearing, idToken }), InvalidToken);
  });
}

test('a token has exactly one valid spelling', async () => {
  const pair = await pairOf('ann');
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = pair.idToken.slice(-1);
  const idToken = pair.idToken.slice(0, -1) + alphabet.charAt(alphabet.indexOf(last) + 1);
  const bytesOf = (token: string) => Buffer.from(token.split('.')[2] ?? '', 'base64url');
  assert.deepEqual(bytesOf(idToken), bytesOf(pair.idToken), 'the same signature');
  await assert.rejects(verifier.verify({ ...pair, idToken }), InvalidToken);
});
