import { WebSocket } from 'ws';
import type { TokenClient } from './token-client.ts';

/** Opens a socket as a program does. `first` resolves to the integration of the first update. */
export async function openSocket(client: TokenClient) {
  const { body } = await client.call('GET', '/api/auth/ws-token');
  const ws = new WebSocket(`${String(body['url'])}?channel=workflows&token=${String(body['token'])}`);
  const first = new Promise<string>((resolve) => {
    ws.once('message', (data: Buffer) =>
      resolve((JSON.parse(data.toString()) as { integrationId: string }).integrationId),
    );
  });
  const closed = new Promise<number>((resolve) => ws.once('close', resolve));
  await new Promise((resolve, reject) => ws.once('open', resolve).once('error', reject));
  return { ws, first, closed };
}
