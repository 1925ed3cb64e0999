import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

const chunk = Buffer.alloc(65_536, 'a');
/** Without a bound on the other side, a test must fail before the machine does. */
const endAtBytes = 256 * 1024 * 1024;

export interface EndlessServer {
  url: string;
  /** Of answers without an end, so far. */
  written(): number;
  /** Answers that the other side has not broken off. */
  open(): number;
}

/** Answers with JSON that never ends, unless `answer` has something for the request. */
export async function startEndlessServer(
  answer: (request: IncomingMessage, url: string) => unknown = () => undefined,
): Promise<EndlessServer> {
  let written = 0;
  let open = 0;
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const end = answer(request, url);
    if (end !== undefined) return void response.end(JSON.stringify(end));
    open += 1;
    response.once('close', () => (open -= 1));
    const more = (): void => {
      while (!response.destroyed) {
        written += chunk.length;
        if (written > endAtBytes) return void response.destroy();
        if (!response.write(chunk)) break;
      }
    };
    response.on('drain', more).write('"');
    more();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, written: () => written, open: () => open };
}
