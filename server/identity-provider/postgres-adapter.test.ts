import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { errors } from './library.ts';
import { postgresAdapter } from './postgres-adapter.ts';

const { api, asOwner } = await createTestDatabase();
const adapterOf = postgresAdapter(api);

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
  const rows = await asOwner('select provider_state::text as row from provider_state');
  assert.ok(rows.length > 0);
  assert.doesNotMatch(JSON.stringify(rows), /the very token/);
  assert.doesNotMatch(JSON.stringify(rows), new RegExp(Buffer.from('the very token').toString('hex')));
});
