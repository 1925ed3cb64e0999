import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The upper bound of P1: reads the body, checks the same HMAC, answers 200. */
const targets = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as {
  integrationId: string;
  webhookSecret: string;
}[];
const secrets = new Map(targets.map(({ integrationId, webhookSecret }) => [integrationId, webhookSecret]));
const prefix = '/api/import/'.length;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const secret = secrets.get(request.url?.slice(prefix) ?? '') ?? '';
    const expected = createHmac('sha256', secret).update(Buffer.concat(chunks)).digest();
    const given = Buffer.from(String(request.headers['x-hub-signature-256']).slice('sha256='.length), 'hex');
    response.statusCode = given.length === expected.length && timingSafeEqual(given, expected) ? 200 : 401;
    response.setHeader('content-type', 'application/json');
    response.end('{"message":"ok"}');
  });
});
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`ready ${(server.address() as AddressInfo).port}\n`),
);
process.on('SIGTERM', () => process.exit(0));
