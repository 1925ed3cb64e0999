import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { openDatabase } from '#platform/database/database.ts';
import { migrate } from '#platform/database/migrate.ts';
import { roleConnection } from '#platform/database/roles/role-connection.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { findOrCreateDemoUser } from '#server/identity/demo-identity.ts';
import { createIntegration, type CreatedIntegration } from '#server/integrations/create-integration.ts';
import type { Bench } from './types.ts';

export interface Targets {
  databaseUrl: string;
  integrations: CreatedIntegration[];
  /** A file with ids and secrets for the other processes. */
  file: string;
}

let made = 0;

/** Creates a migrated database with integrations. */
export async function prepareTargets(bench: Bench, name: string, count: number): Promise<Targets> {
  made += 1;
  const databaseUrl = await bench.createDatabase(`${name}_${made}`);
  await migrate(databaseUrl, [bench.masterKey]);
  const db = openDatabase({
    connection: roleConnection(databaseUrl, 'forgewatch_api', bench.masterKey),
    maxConnections: 4,
    onIdleError: () => {},
  });
  const sealer = makeSealer([bench.masterKey]);
  const ownerId = await findOrCreateDemoUser(db);
  const integrations = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      createIntegration({ db, sealer }, { label: `Bench ${index}`, ownerId }),
    ),
  );
  await db.close();
  const file = path.join(bench.directory, `${name}-${made}.json`);
  writeFileSync(file, JSON.stringify(integrations), { mode: 0o600 });
  return { databaseUrl, integrations, file };
}
