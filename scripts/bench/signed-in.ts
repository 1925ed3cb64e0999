import type { CookieClient } from '#test/support/identity/cookie-client.ts';
import { noteDemoAddressIn } from '#test/support/identity/demo-keys.ts';
import { signInAsDemo } from '#test/support/identity/demo-sign-in.ts';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { startNode } from './children.ts';
import { productEnv, productScript } from './product.ts';
import type { Bench } from './types.ts';

export interface SignedIn {
  url: string;
  pid: number;
  /** The demo user, who owns the integrations of a run. */
  browser: CookieClient;
}

/** Starts the product's api, or all of it, on a database and signs in, without rate limits. */
export async function startSignedIn(
  bench: Bench,
  name: string,
  databaseUrl: string,
  {
    part = 'api',
    settings = {},
    nodeArgs = [],
  }: { part?: 'api' | 'serve'; settings?: NodeJS.ProcessEnv; nodeArgs?: string[] } = {},
): Promise<SignedIn> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const env: NodeJS.ProcessEnv = {
    ...productEnv(bench, `${name}-data`, databaseUrl),
    PORT: String(port),
    PUBLIC_URL: url,
    API_REQUESTS_PER_MINUTE: '1000000',
    ...settings,
  };
  const { pid } = await startNode(bench, productScript, [part], { env, nodeArgs });
  await noteDemoAddressIn(env['DATA_DIR']);
  return { url, pid, browser: await signInAsDemo(url) };
}
