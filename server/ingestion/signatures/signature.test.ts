import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sign } from '@octokit/webhooks-methods';
import { hasSignatureForm, isSignedBy } from './signature.ts';

interface Vectors {
  testGroups: {
    tagSize: number;
    tests: { tcId: number; key: string; msg: string; tag: string; result: string }[];
  }[];
}

const vectors = JSON.parse(
  readFileSync(new URL('../../../test/vectors/hmac_sha256_test.json', import.meta.url), 'utf8'),
) as Vectors;

/** The whole check of the receiver, on one header value. */
function accepts(
  secret: Buffer,
  body: Buffer,
  header: string | string[] | undefined,
): boolean | Promise<boolean> {
  return hasSignatureForm(header) && isSignedBy(secret, body, header);
}

test('the published HMAC vectors: full tags right, truncated ones refused', () => {
  let checked = 0;
  for (const { tagSize, tests } of vectors.testGroups) {
    for (const { tcId, key, msg, tag, result } of tests) {
      const expected = tagSize === 256 && result === 'valid';
      assert.equal(
        accepts(Buffer.from(key, 'hex'), Buffer.from(msg, 'hex'), `sha256=${tag}`),
        expected,
        `case ${tcId}`,
      );
      checked += 1;
    }
  }
  assert.equal(checked, 174);
});

test("the forge's own example verifies", () => {
  const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
  assert.equal(
    accepts(Buffer.from("It's a Secret to Everybody"), Buffer.from('Hello, World!'), signature),
    true,
  );
});

test('signatures made by another library verify, over the bytes and not their meaning', async () => {
  const body = '{"name":"café","n":1.0}';
  const signature = await sign('development', body);
  assert.equal(accepts(Buffer.from('development'), Buffer.from(body), signature), true);
  assert.equal(
    accepts(Buffer.from('development'), Buffer.from(JSON.stringify(JSON.parse(body))), signature),
    false,
  );
});

const good = 'e3eccac34c43c7dc1cbb905488b1b81347fcc700a7b025697a9d07862256023f';
const secret = Buffer.from('mysecret');
const body = Buffer.from('{\n  "foo": "bar"\n}\n');

test('the reference signature of the table below is good', () => {
  assert.equal(accepts(secret, body, `sha256=${good}`), true);
});

for (const header of [
  undefined,
  '',
  'sha256=',
  good,
  `sha256=${good.slice(1)}`,
  `sha256=${good}0`,
  `sha258=${good}`,
  `SHA256=${good}`,
  `sha256=${good.toUpperCase()}`,
  `sha256=${good.slice(0, 63)}z`,
  `sha1=${good.slice(0, 40)}`,
  `sha256=${good}, sha256=${good}`,
  ` sha256=${good}`,
  [`sha256=${good}`],
]) {
  test(`${JSON.stringify(header)} is no signature`, () => assert.equal(accepts(secret, body, header), false));
}

test('a large body is hashed whole, in several turns of the event loop', async () => {
  const large = Buffer.alloc(1_000_001, 'ab');
  const header = await sign('mysecret', large.toString());
  const held = accepts(secret, large, header);
  assert.ok(held instanceof Promise);
  assert.equal(await held, true);
  large[1_000_000] = 0;
  assert.equal(await accepts(secret, large, header), false);
});
