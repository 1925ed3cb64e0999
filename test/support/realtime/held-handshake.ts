import pg from 'pg';
import type { TestDatabase } from '#test/support/database/test-database.ts';
import { untilSessionWaits } from '#test/support/database/waiting-sessions.ts';
import type { TestClient } from './test-client.ts';

/** Opens a socket; `meanwhile` runs after its handshake has read what it may see, and before it is let in. */
export async function joinWhile(
  database: TestDatabase,
  join: () => Promise<TestClient>,
  meanwhile: () => Promise<void>,
): Promise<TestClient> {
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  // The row of the node, which its records refer to.
  await owner.query('begin; select from ws_node for update');
  const joining = join();
  await untilSessionWaits(database, 'the handshake');
  await meanwhile();
  await owner.query('commit');
  await owner.end();
  return joining;
}
