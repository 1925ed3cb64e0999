import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ApiCheck, ApiRequest } from './published-api.ts';

/** Undefined without a body. */
export async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const body = await text(request);
  return body === '' ? undefined : (JSON.parse(body) as unknown);
}

export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
    .end(JSON.stringify(body));
}

/** Collects what the published API of the forge does not allow. The test file fails with it at its end. */
export interface Faults {
  request(request: ApiRequest): void;
  answer(request: Pick<ApiRequest, 'method' | 'path'>, status: number, body: unknown): void;
}

export function collectFaults(api: ApiCheck): Faults {
  const list: string[] = [];
  // An error in the middle of a call would look to the product like a forge that is down.
  process.once('exit', () => {
    if (list.length === 0) return;
    process.stderr.write(`What the published API of the forge does not allow:\n${list.join('\n')}\n`);
    process.exitCode = 1;
  });
  const noting = (check: () => void): void => {
    try {
      check();
    } catch (error) {
      list.push(String(error));
    }
  };
  return {
    request: (request) => noting(() => api.request(request)),
    answer: (request, status, body) => {
      if (status < 400) noting(() => api.answer(request, status, body));
    },
  };
}
