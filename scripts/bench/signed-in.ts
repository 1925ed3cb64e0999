import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import {
  followToCallback,
  makeCookieClient,
  newSignInUrl,
  type CookieClient,
} from '#test/support/cookie-client.ts';
import { startNode } from './children.ts';
import { productEnv, productScript } from './product.ts';
import type { Bench } from './types.ts';

export interface SignedIn {
  url: string;
  pid: number;
  /** The demo user's, to whom the integrations of a run belong. */
  browser: CookieClient;
}

/** The product's api on a database, with somebody signed in who may ask as often as they like. */
export async function startSignedIn(bench: Bench, name: string, databaseUrl: string): Promise<SignedIn> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const env = {
    ...productEnv(bench, `${name}-data`, databaseUrl),
    PORT: String(port),
    PUBLIC_URL: url,
    API_REQUESTS_PER_MINUTE: '1000000',
  };
  const { pid } = await startNode(bench, productScript, ['api'], { env });
  const browser = makeCookieClient();
  const signInUrl = await newSignInUrl(browser, url);
  await browser.fetch(await followToCallback(browser, signInUrl, { demo: '1' }));
  return { url, pid, browser };
}

/** Its public address must name the port before it listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
