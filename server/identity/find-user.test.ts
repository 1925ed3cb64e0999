import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { findUserIdByLogin } from './find-user.ts';
import { addPerson } from '#test/support/team/people.ts';

test('a reassigned login finds the user with the newest claims', async () => {
  const database = await createTestDatabase();
  const { api } = database;
  await addPerson(database, { forgeLogin: 'bob', claimsIssuedAt: 100 });
  const now = await addPerson(database, { forgeLogin: 'Bob', claimsIssuedAt: 200 });
  await addPerson(database, { forgeLogin: 'bob', claimsIssuedAt: 150 });
  assert.equal(await findUserIdByLogin(api, 'bob'), now);
  assert.equal(await findUserIdByLogin(api, 'nobody'), undefined);
});
