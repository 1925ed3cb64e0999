import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { signature } from '#test/support/forge/post-webhook.ts';

export interface PingTarget {
  port: number;
  integrationId: string;
  webhookSecret: string;
  /** What a trusted proxy adds to the head. */
  forwarded?: string | undefined;
}

/** Sends a signed ping on a new connection. */
export async function ping({
  port,
  integrationId,
  webhookSecret,
  forwarded = '',
}: PingTarget): Promise<void> {
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
  const socket = connect(port, '127.0.0.1');
  socket.write(`${head.join('\r\n')}\r\n${forwarded}\r\n${body}`);
  const answer = await text(socket);
  if (!answer.startsWith('HTTP/1.1 200 '))
    throw new Error(`the ping was refused: ${answer.split('\r\n\r\n').at(1)}`);
}

/** Of the attacker, who has all networks of a site, and of everybody else. */
export const forwardedFor = {
  attacker: 'X-Forwarded-For: 2001:db8:bad:*::1\r\n',
  others: 'X-Forwarded-For: 203.0.113.1\r\n',
};

/**
 * The kernel hands over new connections in their order, so thousands that end at once delay others. A proxy opens few, and passes on whole
 * heads.
 */
export const onlyDirect: readonly string[] = ['aborted bodies', 'heads that never end'];
