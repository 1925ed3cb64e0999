import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { findUserIdByLogin } from './find-user.ts';

test('a reassigned login finds the user with the newest claims', async () => {
  const { api, asOwner } = await createTestDatabase();
  const add = async (cognitoId: string, login: string, claimsIssuedAt: number) =>
    asOwner<{ user_id: string }>(
      'insert into users (cognito_id, forge_login, claims_iat) values ($1, $2, $3) returning user_id',
      [cognitoId, login, claimsIssuedAt],
    );
  await add('former', 'bob', 100);
  const [now] = await add('now', 'Bob', 200);
  await add('also-former', 'bob', 150);
  assert.equal(await findUserIdByLogin(api, 'bob'), now?.user_id);
  assert.equal(await findUserIdByLogin(api, 'nobody'), undefined);
});
