import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { signature } from '#test/support/forge/post-webhook.ts';

/** Milliseconds that a signed ping takes on a new connection, which includes opening it. */
export async function timeOfPing(
  port: number,
  { integrationId, webhookSecret }: Pick<CreatedIntegration, 'integrationId' | 'webhookSecret'>,
): Promise<number> {
  const body = JSON.stringify({ zen: 'x' });
  const head = [
    `POST /api/import/${integrationId} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'X-GitHub-Event: ping',
    `X-GitHub-Delivery: ${randomUUID()}`,
    `X-Hub-Signature-256: ${signature(webhookSecret, body)}`,
  ];
  const from = performance.now();
  const socket = connect(port, '127.0.0.1');
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  const answer = await text(socket);
  if (!answer.startsWith('HTTP/1.1 200 '))
    throw new Error(`the ping was refused: ${answer.split('\r\n\r\n').at(1)}`);
  return performance.now() - from;
}
