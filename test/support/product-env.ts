import { testMasterKey } from './test-database.ts';

/** What every process of one deployment is told; any port, unless the caller says which. */
export const productEnv = (databaseUrl: string, dataDir: string) => ({
  DATABASE_URL: databaseUrl,
  ENCRYPTION_KEY: testMasterKey.toString('base64'),
  DATA_DIR: dataDir,
  PORT: '0',
  LOG_LEVEL: 'warn',
});
