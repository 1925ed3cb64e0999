import { startEmbeddedPostgres } from '#platform/database/embedded/embedded-postgres.ts';

/** The upper bound of P13: a program that only starts the packaged Postgres on a directory. */
const postgres = await startEmbeddedPostgres({ directory: process.argv[2] ?? '' });
process.stdout.write('ready\n');
process.once('SIGTERM', () => void postgres.stop());
