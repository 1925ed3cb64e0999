import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, loadConfig } from '#platform/runtime/settings/config.ts';
import { refused, startTeamProduct } from '#test/support/team/team.ts';
import { makeMayCreate } from './who-may-create.ts';

const { person } = await startTeamProduct({ WHO_MAY_CREATE: 'Ann@example.com, *@corp.example' });

test('only named people create integrations, and /api/user says who they are', async () => {
  const [ann, ben] = [await person('ann'), await person('ben')];
  assert.equal((await ann.call('GET', '/api/user')).body['mayCreateIntegrations'], true);
  assert.equal((await ann.call('POST', '/api/integrations', { label: 'Shop' })).status, 201);
  assert.equal((await ben.call('GET', '/api/user')).body['mayCreateIntegrations'], false);
  const answer = await ben.call('POST', '/api/integrations', { label: 'Shop' });
  refused(answer, 403, 'integration_creation_restricted');
  assert.match(String(answer.body['detail']), /WHO_MAY_CREATE/);
});

test('an address counts only when it is verified, a domain as a whole, a login in any case', () => {
  const mayCreate = makeMayCreate({
    addresses: ['ann@example.com', 'kim@example.com'],
    domains: ['corp.example'],
    logins: ['bea'],
  });
  const may = (email: string | null, isEmailVerified: boolean, forgeLogin: string | null = null): boolean =>
    mayCreate({ email, isEmailVerified, forgeLogin });
  assert.deepEqual(
    [may('ANN@example.com', true), may('x@Corp.Example', true), may(null, false, 'BEA')],
    [true, true, true],
  );
  assert.deepEqual(
    [
      may('ann@example.com', false),
      may('x@sub.corp.example', true),
      may('x@evilcorp.example', true),
      may('x@corp.example@evil.example', true),
      may(null, true),
      may('bea@evil.example', true, 'ann@example.com'),
      may('\u212Aim@example.com', true),
    ],
    Array(7).fill(false),
  );
});

test('a login is refused as a name where people may be able to change theirs', () => {
  const faultsOf = (env: NodeJS.ProcessEnv): readonly string[] => {
    try {
      loadConfig(env);
      return [];
    } catch (error) {
      assert.ok(error instanceof ConfigError);
      return error.faults.map(({ name }) => name);
    }
  };
  assert.deepEqual(faultsOf({ WHO_MAY_CREATE: 'bea' }), []);
  const provider = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'forgewatch' };
  assert.deepEqual(faultsOf({ ...provider, WHO_MAY_CREATE: '*@corp.example' }), []);
  assert.deepEqual(faultsOf({ ...provider, WHO_MAY_CREATE: 'bea' }), ['WHO_MAY_CREATE']);
  for (const wrong of ['*', 'a@*.example', '*x@corp.example', 'ann,,bea', '@corp.example', 'a b'])
    assert.deepEqual(faultsOf({ WHO_MAY_CREATE: wrong }), ['WHO_MAY_CREATE'], wrong);
});
