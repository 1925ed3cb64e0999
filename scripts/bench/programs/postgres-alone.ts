import { startEmbeddedPostgres } from '#platform/database/embedded/embedded-postgres.ts';

/** The ceiling of P13 as a program: starts the packaged Postgres on a directory and nothing else. */
const postgres = await startEmbeddedPostgres({ directory: process.argv[2] ?? '' });
process.stdout.write('ready\n');
process.once('SIGTERM', () => void postgres.stop());
