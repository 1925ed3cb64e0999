import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storedText } from '#test/support/database/rows.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { errors } from './library.ts';
import { postgresAdapter } from './postgres-adapter.ts';

const database = await createTestDatabase();
const adapterOf = postgresAdapter(database.api);

test('two concurrent uses of one refresh token end the session', async () => {
  const tokens = adapterOf('RefreshToken');
  const [id, grantId] = ['a refresh token', 'a grant'];
  await adapterOf('Grant').upsert(grantId, { jti: grantId }, 60);
  await tokens.upsert(id, { jti: id, grantId }, 60);
  await tokens.upsert('its successor', { jti: 'its successor', grantId }, 60);
  await tokens.upsert('of another grant', { jti: 'of another grant', grantId: 'another' }, 60);
  const both = await Promise.allSettled([tokens.consume(id), tokens.consume(id)]);
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  const refused = both.find((each) => each.status === 'rejected');
  assert.ok(refused?.reason instanceof errors.InvalidGrant);
  assert.equal(await tokens.find('its successor'), undefined);
  assert.equal(await adapterOf('Grant').find(grantId), undefined);
  assert.ok(await tokens.find('of another grant'));
});

test('the database stores issued tokens as hashes', async () => {
  await adapterOf('RefreshToken').upsert('the very token', { jti: 'the very token' }, 60);
  assert.doesNotMatch(await storedText(database, 'provider_state'), /the very token/);
});
