import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ForgeProfile } from './profile.ts';
import { cacheProfiles } from './recent-profiles.ts';

const ann = { sub: '1', forge_id: '1', nickname: 'ann' } as ForgeProfile;

test('a profile is read once a minute for each token, and a refusal or a failure is not kept', async () => {
  let now = 0;
  const answers: (ForgeProfile | undefined | Error)[] = [new Error('away'), undefined, ann, ann, ann];
  let asked = 0;
  const read = cacheProfiles(
    async () => {
      const answer = answers[asked++];
      if (answer instanceof Error) throw answer;
      return answer;
    },
    () => now,
  );
  await assert.rejects(read('token'), /away/);
  assert.equal(await read('token'), undefined);
  assert.equal(await read('token'), ann);
  now = 59_999;
  assert.equal(await read('token'), ann);
  assert.equal(asked, 3);
  await read('another token');
  assert.equal(asked, 4);
  now = 60_000;
  await read('token');
  assert.equal(asked, 5);
});
