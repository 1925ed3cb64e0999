import { testMasterKey } from '#test/support/database/test-database.ts';

/** Environment of all processes on one database. Default: a free port. */
export const productEnv = (databaseUrl: string, dataDir: string) => ({
  DATABASE_URL: databaseUrl,
  ENCRYPTION_KEY: testMasterKey.toString('base64'),
  DATA_DIR: dataDir,
  PORT: '0',
  LOG_LEVEL: 'warn',
});
