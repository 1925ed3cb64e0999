import { after } from 'node:test';
import { Writable } from 'node:stream';
import pino from 'pino';
import { loadConfig } from '#platform/runtime/settings/config.ts';
import { makeSealer, type Sealer } from '#platform/runtime/secrets/sealing.ts';
import { findOrCreateDemoUser } from '#server/identity/demo-identity.ts';
import { createIntegration, type CreatedIntegration } from '#server/integrations/create-integration.ts';
import { startProgram, type Program } from '#server/main.ts';
import type { ProcessRole } from '#server/role-deps.ts';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { noteDemoAddress } from '#test/support/identity/demo-keys.ts';
import { checkAnswers } from './documented-answers.ts';
import { testMetricsToken } from './operator-metrics.ts';
import {
  createTestDatabase,
  testMasterKey,
  type TestDatabase,
} from '#test/support/database/test-database.ts';
import { makeTemporaryDirectory } from './temporary-directory.ts';

export interface TestProgram {
  baseUrl: string;
  /** Public URL, which cookies and redirects use. */
  publicUrl: string;
  database: TestDatabase;
  sealer: Sealer;
  program: Program;
  /** All log lines so far. */
  logged(): string;
  createIntegration(label?: string): Promise<CreatedIntegration>;
}

/**
 * Starts Forgewatch in this process on a free port with its own database. Stopped when the file ends. A test fails when an answer is
 * not as `/openapi.json` documents it.
 */
export async function startTestProgram(
  env: NodeJS.ProcessEnv = {},
  roles: readonly ProcessRole[] = ['api', 'worker'],
): Promise<TestProgram> {
  checkAnswers();
  const database = await createTestDatabase();
  const dataDir = await makeTemporaryDirectory();
  const lines: string[] = [];
  const port = await freePort();
  const config = loadConfig({
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: testMasterKey.toString('base64'),
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    LOG_LEVEL: 'debug',
    METRICS_TOKEN: testMetricsToken,
    ...env,
  });
  const log = pino(
    { level: config.logLevel },
    new Writable({ write: (chunk: Buffer, _encoding, done) => done(void lines.push(chunk.toString())) }),
  );
  const program = await startProgram(config, log, roles);
  noteDemoAddress(program.demoAddress);
  after(() => program.stop());
  const sealer = makeSealer([testMasterKey]);
  return {
    baseUrl: program.localUrl ?? '',
    publicUrl: config.publicUrl,
    database,
    sealer,
    program,
    logged: () => lines.join(''),
    createIntegration: async (label = 'Test') =>
      createIntegration(
        { db: database.api, sealer },
        { label, ownerId: await findOrCreateDemoUser(database.api) },
      ),
  };
}
