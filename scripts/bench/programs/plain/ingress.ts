import { createCipheriv, randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import pg from 'pg';
import { startPlainReceiver } from './receiver.ts';

/**
 * What P1 takes without a product around it: a webhook is verified, its JSON checked, and the bodies of a commit compressed,
 * encrypted and stored together. It has no limits, no deduplication and no leases.
 */
const client = new pg.Client({ connectionString: process.argv[3] });
await client.connect();
await client.query('create table segments (id bigint generated always as identity primary key, body bytea)');
await client.query('create table messages (segment bigint, integration_id text)');

const mostInCommit = 64;
const key = randomBytes(32);
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } };
let waiting: { integrationId: string; body: Buffer; done: () => void }[] = [];
let isWriting = false;

startPlainReceiver((integrationId, body) => {
  JSON.parse(body.toString('latin1'));
  return new Promise((done) => {
    waiting.push({ integrationId, body, done });
    if (!isWriting) void write();
  });
});

async function write(): Promise<void> {
  isWriting = true;
  await nextTurn();
  while (waiting.length > 0) {
    const messages = waiting.slice(0, mostInCommit);
    waiting = waiting.slice(mostInCommit);
    await client.query({
      name: 'store',
      text: `with segment as (insert into segments (body) values ($1) returning id)
             insert into messages select id, integration_id from segment, unnest($2::text[]) integration_id`,
      values: [seal(messages.map(({ body }) => body)), messages.map(({ integrationId }) => integrationId)],
    });
    for (const { done } of messages) done();
  }
  isWriting = false;
}

function seal(bodies: readonly Buffer[]): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = cipher.update(brotliCompressSync(Buffer.concat(bodies), quality));
  cipher.final();
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}
