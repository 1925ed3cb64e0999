import assert from 'node:assert/strict';
import type { Problem } from '#contract/base/errors.ts';
import type { CookieClient } from './cookie-client.ts';
import { signInAsDemo } from './demo-sign-in.ts';

export interface OwnerClient {
  browser: CookieClient;
  call(method: string, integrationId: string, path: string, body?: object): Promise<Response>;
  /** The answer to a GET, which must be 200. */
  read<Body>(integrationId: string, path: string): Promise<Body>;
  items<Item>(integrationId: string, path: string): Promise<Item[]>;
}

/** Calls the API as the demo user, who owns the integrations of a test program. Paths begin after the integration, as in `/jobs`. */
export async function signInAsOwner(publicUrl: string): Promise<OwnerClient> {
  const browser = await signInAsDemo(publicUrl);
  const call: OwnerClient['call'] = (method, integrationId, path, body) =>
    sendJson(browser, publicUrl, method, `/api/integrations/${integrationId}${path}`, body);
  const read = async <Body>(integrationId: string, path: string): Promise<Body> => {
    const answer = await call('GET', integrationId, path);
    assert.equal(answer.status, 200, await answer.clone().text());
    return (await answer.json()) as Body;
  };
  const items = async <Item>(integrationId: string, path: string): Promise<Item[]> =>
    (await read<{ items: Item[] }>(integrationId, path)).items;
  return { browser, call, read, items };
}

/** A request as the web app sends it. */
export function sendJson(
  browser: CookieClient,
  publicUrl: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  return browser.fetch(publicUrl + path, {
    method,
    headers: { origin: publicUrl, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Checks the status and code of an error. */
export async function assertProblem(answer: Response, status: number, code: string): Promise<void> {
  const problem = (await answer.json()) as Problem;
  assert.deepEqual([answer.status, problem.code], [status, code]);
}
