import { readFileSync } from 'node:fs';
import { verify } from '@octokit/webhooks-methods';
import Fastify from 'fastify';
import { PgBoss } from 'pg-boss';

/** The peer of P2: a service that an experienced engineer could build in a day on the same Postgres. */
const [targetsFile = '', databaseUrl = ''] = process.argv.slice(2);
const targets = JSON.parse(readFileSync(targetsFile, 'utf8')) as {
  integrationId: string;
  webhookSecret: string;
}[];
const secrets = new Map(targets.map(({ integrationId, webhookSecret }) => [integrationId, webhookSecret]));

const boss = new PgBoss({ connectionString: databaseUrl, max: 16 });
await boss.start();
await boss.createQueue('webhooks');

const app = Fastify({ bodyLimit: 26_214_400 });
app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
  done(null, body),
);
app.post<{ Params: { id: string } }>('/api/import/:id', async (request, reply) => {
  const body = request.body as string;
  const secret = secrets.get(request.params.id);
  if (secret === undefined || !(await verify(secret, body, String(request.headers['x-hub-signature-256'])))) {
    return reply.code(401).send({ message: 'invalid signature' });
  }
  await boss.send('webhooks', {
    eventType: request.headers['x-github-event'],
    integrationId: request.params.id,
    payload: JSON.parse(body) as object,
  });
  return { message: 'ok' };
});
const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`ready ${new URL(address).port}\n`);
process.on('SIGTERM', () => process.exit(0));
