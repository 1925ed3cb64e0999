import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxSavedViews, SavedView, SavedViewPage } from '#contract/runs/saved-views.ts';
import { refused, startTeamProduct, type Person, type Team } from '#test/support/team/team.ts';
import { Compile } from 'typebox/compile';
import { withoutPrivilege } from '#test/support/database/faults.ts';
import { countRows } from '#test/support/database/rows.ts';

const product = await startTeamProduct();
const { database, newTeam } = product;

const save = (team: Team, who: Person, name: string, filter: object = { branch: 'main' }) =>
  who.call('POST', team.path('/saved-views'), { name, filter });

async function views(team: Team, who: Person): Promise<[string, unknown][]> {
  const { body } = await who.call('GET', team.path('/saved-views'));
  assert.ok(Compile(SavedViewPage).Check(body));
  return (body as SavedViewPage).items.map(({ name, filter }) => [name, filter]);
}

test('a user creates, renames, changes and deletes views that nobody else can see or change', async () => {
  const team = await newTeam();
  const { viewer, owner } = team;
  const filter = { branch: 'main', conclusion: 'failure', q: 'a "b" é😀', from: '2026-11-20T12:00:00.000Z' };
  const created = await save(team, viewer, ' Red main ', filter);
  assert.equal(created.status, 201);
  assert.ok(Compile(SavedView).Check(created.body));
  await save(team, viewer, 'all of Ann', { actor: 'ann' });
  assert.deepEqual(await views(team, viewer), [
    ['all of Ann', { actor: 'ann' }],
    ['Red main', filter],
  ]);
  assert.deepEqual(await views(team, owner), []);

  const one = team.path(`/saved-views/${String(created.body['viewId'])}`);
  const change = { name: 'red MAIN', filter: { event: 'push' } };
  refused(await owner.call('PUT', one, change), 404, 'not_found');
  refused(await owner.call('DELETE', one), 404, 'not_found');
  assert.equal((await viewer.call('PUT', one, change)).status, 200);
  assert.deepEqual((await views(team, viewer))[1], ['red MAIN', { event: 'push' }]);
  assert.equal((await viewer.call('DELETE', one)).status, 204);
  refused(await viewer.call('DELETE', one), 404, 'not_found');
  assert.deepEqual(await views(team, viewer), [['all of Ann', { actor: 'ann' }]]);
});

test('view names are unique per user, ignoring case, and the number of views is limited', async () => {
  const team = await newTeam();
  const { viewer, member } = team;
  await save(team, viewer, 'Nightly');
  refused(await save(team, viewer, 'nightly '), 409, 'conflict');
  assert.equal((await save(team, member, 'nightly')).status, 201);
  const other = await save(team, viewer, 'Other');
  const path = team.path(`/saved-views/${String(other.body['viewId'])}`);
  refused(await viewer.call('PUT', path, { name: 'NIGHTLY', filter: { q: 'x' } }), 409, 'conflict');
  const third = await save(team, viewer, 'Third');
  const renamed = await Promise.all(
    [other, third].map(({ body }) =>
      viewer.call('PUT', team.path(`/saved-views/${String(body['viewId'])}`), {
        name: 'Same',
        filter: { q: 'x' },
      }),
    ),
  );
  assert.deepEqual(renamed.map(({ status }) => status).toSorted(), [200, 409]);

  const answers = await Promise.all(
    Array.from({ length: maxSavedViews }, (_, index) => save(team, viewer, `View ${index}`)),
  );
  const stored = answers.filter(({ status }) => status === 201).length;
  assert.equal(stored, maxSavedViews - 3, 'the limit also holds for concurrent requests');
  assert.equal((await views(team, viewer)).length, maxSavedViews);
});

test('an invalid name or filter is refused', async () => {
  const team = await newTeam();
  for (const [name, filter] of [
    ['', { branch: 'main' }],
    [' ', { branch: 'main' }],
    ['two\nlines', { branch: 'main' }],
    ['x'.repeat(61), { branch: 'main' }],
    ['Everything', {}],
    ['Unknown', { colour: 'red' }],
    ['Place', { cursor: 'abc' }],
  ] as const)
    refused(await save(team, team.viewer, name, filter), 400, 'invalid_request');
});

test('views are deleted with the membership', async () => {
  const team = await newTeam();
  await save(team, team.member, 'Mine');
  assert.equal((await team.member.call('POST', team.path('/leave'))).status, 204);
  assert.equal(await countRows(database, 'saved_views', { integration_id: team.integrationId }), 0);
});

test('a failure of the lock answers the request and does not end the server', async () => {
  const team = await newTeam();
  const failed = await withoutPrivilege(database, 'update', 'memberships', () =>
    save(team, team.viewer, 'Red main'),
  );
  refused(failed, 500, 'internal');
  assert.equal((await save(team, team.viewer, 'Red main')).status, 201);
});
