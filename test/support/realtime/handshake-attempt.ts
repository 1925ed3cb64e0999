import { randomBytes } from 'node:crypto';
import { request, type IncomingMessage } from 'node:http';
import type { Problem } from '#contract/base/errors.ts';
import type { TestNode } from './realtime-node.ts';

export interface Attempt {
  path?: string;
  query?: string;
  method?: string;
  headers?: Record<string, string | undefined>;
}

/** One handshake for the grant, with whatever is given in place of the right values. */
export async function attempt(
  node: TestNode,
  grant: { userId: string; integrationIds: readonly string[] },
  { path = '/ws', query, method = 'GET', headers = {} }: Attempt = {},
): Promise<{ status: number; headers: IncomingMessage['headers']; problem?: Problem }> {
  const { port } = new URL(node.url);
  const search =
    query ?? `token=${node.realtime.mintToken({ ...grant, sessionId: 'test' }).token}&channel=workflows`;
  const sent = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request({
      port,
      path: `${path}?${search}`,
      method,
      headers: Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)),
    });
    outgoing.on('error', reject);
    outgoing.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: 101, headers: response.headers });
    });
    outgoing.on('response', (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          problem: text.startsWith('{') ? (JSON.parse(text) as Problem) : undefined,
        } as Awaited<ReturnType<typeof attempt>>),
      );
    });
    outgoing.end();
  });
}
