import Fastify from 'fastify';
import type { AddressInfo } from 'node:net';
import { openDatabase } from '#platform/database/database.ts';
import { roleConnection } from '#platform/database/roles/role-connection.ts';
import { identityRoutes } from '#server/identity/routes.ts';

/** The upper bound of P10: the schema and handler of GET /api/user on a Fastify without hooks, for one user. */
const { DATABASE_URL: databaseUrl = '', ENCRYPTION_KEY: key = '' } = process.env;
const caller = { userId: process.argv[2] ?? '' };
const db = openDatabase({
  connection: roleConnection(databaseUrl, 'forgewatch_api', Buffer.from(key, 'base64')),
  maxConnections: 10,
  onIdleError: () => {},
});
// The other routes are created but not served.
const routes = identityRoutes({
  db,
  signIn: undefined as never,
  mayCreate: () => true,
  publicConfig: undefined as never,
});
const row = routes.find(({ path }) => path === '/api/user');
if (row === undefined) throw new Error('GET /api/user not found');

const app = Fastify();
app.get(row.path, { schema: { response: { 200: row.answer?.schema } } }, () =>
  row.handle({ caller } as never),
);
await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`ready ${(app.server.address() as AddressInfo).port}\n`);
process.on('SIGTERM', () => process.exit(0));
