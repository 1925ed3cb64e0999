import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after } from 'node:test';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { systemClock } from '#platform/runtime/clock.ts';
import { createPersonalToken } from '#server/api-tokens/personal-tokens.ts';
import { createIntegration, type CreatedIntegration } from '#server/integrations/create-integration.ts';
import {
  startNotificationReceiver,
  type NotificationReceiver,
} from '#test/support/alerts/notification-receiver.ts';
import {
  createTestDatabase,
  testMasterKey,
  type TestDatabase,
} from '#test/support/database/test-database.ts';
import { addPerson } from '#test/support/team/people.ts';
import { tokenClient, type TokenClient } from '#test/support/identity/token-client.ts';
import { startMailServer, type ReceivedMail } from '#test/support/network/mail-server.ts';
import { testCertificate } from '#test/support/network/test-certificate.ts';
import { productEnv } from './product-env.ts';
import { startProduct, type ProductProcess } from './product-process.ts';
import { makeTemporaryDirectory } from './temporary-directory.ts';

/** An integration of a person of its own, so that limits of one do not reach another. */
export interface Tenant extends CreatedIntegration {
  /** Its owner's token. */
  owner: TokenClient;
  /** Path of the API in the integration. */
  path(rest?: string): string;
}

export interface KillableProduct {
  baseUrl: string;
  database: TestDatabase;
  /** Takes the webhooks of notification rules. */
  receiver: NotificationReceiver;
  /** What its mail server took. */
  mails: readonly ReceivedMail[];
  newTenant(label: string): Promise<Tenant>;
  /** Ends the process with SIGKILL and starts another one on the same port and database. */
  killAndStart(): Promise<void>;
  /** The same with SIGTERM, which lets it finish what it does. The new process may have other settings. */
  stopAndStart(env?: NodeJS.ProcessEnv): Promise<void>;
}

/** Forgewatch in a process of its own that a test may kill. It may call the notification receiver. */
export async function startKillableProduct(env: NodeJS.ProcessEnv = {}): Promise<KillableProduct> {
  const database = await createTestDatabase();
  const dataDir = await makeTemporaryDirectory();
  const receiver = await startNotificationReceiver(60_000);
  const mailServer = await startMailServer();
  const certificate = path.join(dataDir, 'receiver.pem');
  await writeFile(certificate, testCertificate.cert);
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const all = {
    ...productEnv(database.url, dataDir),
    PORT: String(port),
    PUBLIC_URL: baseUrl,
    ALERT_ALLOWED_NETWORKS: '127.0.0.1/32',
    ALERT_ALLOWED_PORTS: String(receiver.port),
    API_REQUESTS_PER_MINUTE: '1000000',
    SMTP_URL: mailServer.url,
    NODE_EXTRA_CA_CERTS: certificate,
    ...env,
  };
  let running: ProductProcess = await startProduct('serve', all);
  after(() => running.kill());
  const sealer = makeSealer([testMasterKey]);
  return {
    baseUrl,
    database,
    receiver,
    mails: mailServer.mails,
    newTenant: async (label) => {
      const ownerId = await addPerson(database, { name: label });
      const created = await createIntegration({ db: database.api, sealer }, { label, ownerId });
      const token = await createPersonalToken({ db: database.api, clock: systemClock }, ownerId, {
        name: 'Test',
        scopes: ['read', 'write'],
      });
      return {
        ...created,
        owner: tokenClient(baseUrl, token),
        path: (rest = '') => `/api/integrations/${created.integrationId}${rest}`,
      };
    },
    killAndStart: async () => {
      await running.kill();
      running = await startProduct('serve', all);
    },
    stopAndStart: async (other = {}) => {
      await running.stop();
      running = await startProduct('serve', { ...all, ...other });
    },
  };
}
