import { randomUUID } from 'node:crypto';
import type { TestDatabase } from './test-database.ts';

/** An integration without members, as the service stores one. */
export async function insertIntegration(
  database: TestDatabase,
  integrationId: string = randomUUID(),
  sealedSecret: Buffer = Buffer.alloc(0),
): Promise<string> {
  await database.asOwner(
    `insert into integrations (integration_id, label, webhook_secret) values ($1, 'Test', $2)`,
    [integrationId, sealedSecret],
  );
  return integrationId;
}
