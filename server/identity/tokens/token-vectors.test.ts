import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { usableKeys } from '../provider/keys/usable-keys.ts';
import { InvalidToken } from './token-pair.ts';
import { verifySignature } from './verify-tokens.ts';

interface Group {
  comment: string;
  public?: object;
  private?: object;
  tests: { tcId: number; comment: string; jws: string; result: 'valid' | 'invalid' }[];
}

const folder = path.join(import.meta.dirname, '../../../test/vectors');
const groupsOf = (file: string): Group[] =>
  (JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as { testGroups: Group[] }).testGroups;

/** Whether a token of a vector is taken when the provider publishes the group's keys. */
async function isTaken(group: Group, jws: string): Promise<boolean> {
  const published = group.public ?? group.private ?? {};
  const set = 'keys' in published ? published : { keys: [published] };
  const keys = await usableKeys(set);
  try {
    await verifySignature(jws, { find: async (kid) => keys.get(kid) });
    return true;
  } catch (error) {
    assert.ok(error instanceof InvalidToken, String(error));
    return false;
  }
}

const isRs256 = ({ public: key }: Group): boolean =>
  (key as { kty?: string } | undefined)?.kty === 'RSA' &&
  ['RS256', undefined].includes((key as { alg?: string }).alg);

for (const file of ['json_web_signature_test.json', 'json_web_key_test.json']) {
  test(`${file}: nothing that is invalid is ever taken`, async () => {
    let count = 0;
    for (const group of groupsOf(file)) {
      for (const { tcId, comment, jws, result } of group.tests) {
        count += 1;
        if (result === 'invalid') assert.equal(await isTaken(group, jws), false, `${tcId} ${comment}`);
      }
    }
    assert.ok(count > 20);
  });
}

test('a valid RS256 token with a key ID is accepted', async () => {
  let taken = 0;
  for (const group of groupsOf('json_web_signature_test.json').filter(isRs256)) {
    for (const { tcId, comment, jws, result } of group.tests) {
      if (result !== 'valid') continue;
      const header = JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString()) as {
        alg?: string;
        kid?: string;
      };
      if (header.alg !== 'RS256' || header.kid === undefined) continue;
      assert.equal(await isTaken(group, jws), true, `${tcId} ${comment}`);
      taken += 1;
    }
  }
  assert.ok(taken > 0, `${taken} taken`);
});
