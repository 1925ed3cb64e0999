import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { cancelWaiting } from '#test/support/database/waiting-sessions.ts';
import { refused, startTeamProduct } from '#test/support/team/team.ts';

const { database, newTeam } = await startTeamProduct();

test('a failure of the lock answers who creates a token and does not end the server', async (t) => {
  const team = await newTeam();
  const gate = new pg.Client({ connectionString: database.url });
  await gate.connect();
  t.after(() => gate.end());
  const create = {
    [team.owner.userId]: () =>
      team.owner.call('POST', '/api/user/tokens', { name: 'Script', scopes: ['read'] }),
    [team.integrationId]: () =>
      team.owner.call('POST', team.path('/tokens'), { name: 'Bot', role: 'viewer' }),
  };
  for (const [ownerId, createToken] of Object.entries(create)) {
    await gate.query(`select pg_advisory_lock(hashtextextended('api tokens ' || $1, 0))`, [ownerId]);
    const created = createToken();
    await cancelWaiting(database);
    refused(await created, 503, 'try_again');
    await gate.query('select pg_advisory_unlock_all()');
    assert.equal((await createToken()).status, 201);
  }
});
