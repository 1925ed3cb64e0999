import { WebSocket } from 'ws';
import type { ServerMessage, UpdateMessage } from '#contract/runs/realtime.ts';
import type { TestNode } from './realtime-node.ts';

export interface TestClient {
  ws: WebSocket;
  messages: ServerMessage[];
  updates(): UpdateMessage[];
  closed: Promise<number>;
}

export const typesOf = ({ messages }: TestClient): string[] => messages.map(({ type }) => type);

export const seqsOf = (client: TestClient): number[] => client.updates().map(({ seq }) => seq);

/** Control messages by their type, updates by their number. */
export const seqsAndTypesOf = ({ messages }: TestClient): (number | string)[] =>
  messages.map((message) => ('seq' in message ? message.seq : message.type));

/**
 * Opens a socket; resolves once it is open, rejects with the status when it is refused. Who asks for control messages gets
 * those of what happens from now on: news from before would come whenever the node hears of it.
 */
export async function connect(
  node: TestNode,
  grant: { userId: string; integrationIds: readonly string[] },
  {
    isControl = false,
    sessionId = 'test',
    token = node.realtime.mintToken({ ...grant, sessionId }).token,
  } = {},
): Promise<TestClient> {
  if (isControl) await node.heardAll();
  const ws = new WebSocket(`${node.url}?token=${token}&channel=workflows`, isControl ? ['workflows.v1'] : []);
  const messages: ServerMessage[] = [];
  ws.on('message', (data) => messages.push(JSON.parse(String(data)) as ServerMessage));
  const closed = new Promise<number>((resolve) => ws.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    ws.once('open', resolve);
    ws.once('unexpected-response', (_request, response) => {
      reject(new Error(`refused with ${response.statusCode}`));
      ws.terminate();
    });
    ws.on('error', reject);
  });
  return {
    ws,
    messages,
    updates: () => messages.filter((message): message is UpdateMessage => 'seq' in message),
    closed,
  };
}
