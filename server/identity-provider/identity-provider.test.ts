import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { systemClock } from '#platform/runtime/clock.ts';
import { loadConfig } from '#platform/runtime/settings/config.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeIdentityProvider } from './identity-provider.ts';
import { countRows } from '#test/support/database/rows.ts';

test('the sweep deletes all expired sign-ins and no others', async (t) => {
  const database = await createTestDatabase();
  await database.asOwner(
    `insert into provider_state (model, id_hash, payload, expires_at)
     select 'Interaction', sha256(n::text::bytea), '{}', now() + interval '1 minute' * case n when 0 then 1 else -1 end
     from generate_series(0, 10001) n`,
  );
  const { services } = makeIdentityProvider({
    config: loadConfig({}),
    db: database.api,
    log: pino({ level: 'silent' }),
    clock: systemClock,
    sealer: makeSealer([testMasterKey]),
    masterKeys: [testMasterKey],
  });
  t.after(() => Promise.all(services.map((service) => service.stop())));
  for (const service of services) await service.start();
  await waitUntil(
    'the expired ones to be gone',
    async () => (await countRows(database, 'provider_state')) === 1,
  );
});

test('an address can make the provider store at most 120 sign-ins and 120 sign-outs per minute', async () => {
  const { publicUrl } = await startTestProgram({}, ['api']);
  for (const [path, status] of [
    ['auth?client_id=nobody', 400],
    ['session/end', 200],
  ] as const) {
    const ask = async (): Promise<number> => (await fetch(`${publicUrl}/oidc/${path}`)).status;
    const statuses = await Promise.all(Array.from({ length: 121 }, ask));
    assert.deepEqual(statuses.toSorted().slice(-2), [status, 429]);
  }
});
