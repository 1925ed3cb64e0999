import { randomUUID } from 'node:crypto';
import type { TestDatabase } from './test-database.ts';

/** An integration without members, as the service stores one. A previous secret is valid for an hour. */
export async function insertIntegration(
  database: TestDatabase,
  integrationId: string = randomUUID(),
  sealedSecret: Buffer = Buffer.alloc(0),
  sealedPrevious: Buffer | null = null,
): Promise<string> {
  await database.asOwner(
    `insert into integrations (integration_id, label, webhook_secret, previous_webhook_secret, previous_secret_valid_until)
     values ($1, 'Test', $2, $3, case when $3::bytea is not null then now() + interval '1 hour' end)`,
    [integrationId, sealedSecret, sealedPrevious],
  );
  return integrationId;
}
