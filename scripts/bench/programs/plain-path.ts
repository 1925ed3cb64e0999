import pg from 'pg';
import { WebSocketServer, type WebSocket } from 'ws';
import { readSecrets, startPlainReceiver } from './plain-receiver.ts';

/**
 * What the path of one event takes without a product around it: ten short statements in three round trips, as many as P7 path
 * counts, and a frame to each socket, which names its integration in its URL. A statement touches one row, and no rule is evaluated.
 */
const connect = async (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: process.argv[3], pipeline: true });
  await client.connect();
  return client;
};
const [sender, worker] = [await connect(), await connect()];
await sender.query(`
  create table bodies (id bigint generated always as identity primary key, body bytea);
  create table groups (integration_id text primary key, done bigint not null default 0);
  create table objects (integration_id text, id text, body bytea, primary key (integration_id, id));
  create table updates (id bigint generated always as identity primary key, integration_id text, object_id text)`);
const sockets = new Map<string, WebSocket[]>();
for (const integrationId of readSecrets().keys()) {
  await sender.query('insert into groups (integration_id) values ($1)', [integrationId]);
  sockets.set(integrationId, []);
}

/** About what a body takes compressed, a row takes, and a frame. */
const [sealedBytes, rowBytes, frameBytes] = [2400, 800, 2000];

const server = startPlainReceiver(async (integrationId, body) => {
  const sent = await ask<{ id: string }>(
    sender,
    'send',
    'insert into bodies (body) values ($1) returning id',
    [body.subarray(0, sealedBytes)],
  );
  // The answer does not wait for the rest.
  void store(integrationId, body, sent.rows[0]?.id);
});
new WebSocketServer({ server }).on('connection', (socket, { url = '' }) =>
  sockets.get(url.slice(1))?.push(socket),
);

async function store(integrationId: string, body: Buffer, sentId: string | undefined): Promise<void> {
  const { workflow_run: run, workflow_job: job } = JSON.parse(body.toString()) as Record<
    string,
    { id: number }
  >;
  const key = [integrationId, String((job ?? run)?.id)];
  const read = 'select body from objects where integration_id = $1 and id = $2';
  const write = `insert into objects values ($1, $2, $3)
                 on conflict (integration_id, id) do update set body = excluded.body`;
  await Promise.all([
    ask(worker, 'begin', 'begin'),
    ask(worker, 'lock', 'select done from groups where integration_id = $1 for update', [integrationId]),
    ask(worker, 'read', read, key),
  ]);
  await Promise.all([
    ask(worker, 'write', write, [...key, body.subarray(0, rowBytes)]),
    ask(worker, 'update', 'insert into updates (integration_id, object_id) values ($1, $2)', key),
    ask(worker, 'trim', 'delete from updates where integration_id = $1 and object_id <> $2', key),
    ask(worker, 'next', 'select id from bodies where id > $1 limit 1', [sentId]),
    ask(worker, 'settle', 'update groups set done = $2 where integration_id = $1', [integrationId, sentId]),
    ask(worker, 'commit', 'commit'),
  ]);
  const frame = body.toString('latin1', 0, frameBytes);
  for (const socket of sockets.get(integrationId) ?? []) socket.send(frame);
}

function ask<Row extends pg.QueryResultRow>(
  client: pg.Client,
  name: string,
  text: string,
  values: unknown[] = [],
): Promise<pg.QueryResult<Row>> {
  return client.query<Row>({ name, text, values });
}
