import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A webhook receiver on nothing but `node:http`: it collects the body, compares the HMAC and answers when `accept` is done. Its
 * argument is the file of the targets. Prints `ready PORT`.
 */
export function startPlainReceiver(accept?: (integrationId: string, body: Buffer) => Promise<void>): Server {
  const secrets = readSecrets();
  const prefix = '/api/import/'.length;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const id = request.url?.slice(prefix) ?? '';
      const body = Buffer.concat(chunks);
      const expected = createHmac('sha256', secrets.get(id) ?? '')
        .update(body)
        .digest();
      const given = Buffer.from(
        String(request.headers['x-hub-signature-256']).slice('sha256='.length),
        'hex',
      );
      const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
      response.statusCode = isSigned ? 200 : 401;
      response.setHeader('content-type', 'application/json');
      const answer = () => response.end('{"message":"ok"}');
      if (isSigned && accept !== undefined) void accept(id, body).then(answer);
      else answer();
    });
  });
  server.listen(0, '127.0.0.1', () =>
    process.stdout.write(`ready ${(server.address() as AddressInfo).port}\n`),
  );
  process.on('SIGTERM', () => process.exit(0));
  return server;
}

/** Of each integration. */
export function readSecrets(): Map<string, string> {
  const targets = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as {
    integrationId: string;
    webhookSecret: string;
  }[];
  return new Map(targets.map(({ integrationId, webhookSecret }) => [integrationId, webhookSecret]));
}
