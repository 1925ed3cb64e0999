import type { IncomingMessage } from 'node:http';
import { serve } from './serve.ts';

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
  const { url } = await serve((request, response) => {
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
  });
  return { url, written: () => written, open: () => open };
}
