import path from 'node:path';
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '#platform/database/embedded/embedded-postgres.ts';
import { fastestParent, makeEnterableDirectory } from '#test/support/product/enterable-directory.ts';

/** A temporary cluster without fsync, because test data need not survive a crash. */
export async function startTestPostgres(): Promise<EmbeddedPostgres & { directory: string }> {
  const { directory, remove } = await makeEnterableDirectory('test', await fastestParent());
  const postgres = await startEmbeddedPostgres({
    directory: path.join(directory, 'cluster'),
    settings: [
      'fsync=off',
      'full_page_writes=off',
      'max_connections=300',
      'max_wal_size=256MB',
      // The client computes a key from the password for each of thousands of connections.
      'scram_iterations=1',
    ],
  });
  return {
    ...postgres,
    directory,
    stop: async () => {
      await postgres.stop();
      await remove();
    },
  };
}
