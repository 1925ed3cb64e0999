import path from 'node:path';
import { testMetricsToken } from '#test/support/product/operator-metrics.ts';
import { buildPackage } from '../package/build-package.ts';
import { root, startNode, type Child } from './children.ts';
import type { Bench } from './types.ts';

export const productScript = 'bin/forgewatch.js';

const packageFolder = 'dist/package';

/** Builds the packaged form. Returns its script. */
export async function packagedScript(): Promise<string> {
  await buildPackage(path.join(root, packageFolder));
  return `${packageFolder}/${productScript}`;
}

/** The public URL for which socket tokens are issued. */
export const publicUrl = 'http://localhost:8787';

/** The settings of a new installation, except for the data directory, the log level and quotas. */
export function productEnv(bench: Bench, name: string, databaseUrl?: string): NodeJS.ProcessEnv {
  const external = {
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEY: bench.masterKey.toString('base64'),
  };
  return {
    ...(databaseUrl === undefined ? {} : external),
    DATA_DIR: path.join(bench.directory, name),
    PORT: '0',
    PUBLIC_URL: publicUrl,
    LOG_LEVEL: 'warn',
    METRICS_TOKEN: testMetricsToken,
    // A measurement sends more in a minute than a team in a day.
    INTEGRATION_BYTES_PER_DAY: '0',
    INTEGRATION_EVENTS_PER_DAY: '0',
    PERSON_BYTES_PER_DAY: '0',
    // As with `npm start` and in the image.
    NODE_OPTIONS: '--v8-pool-size=1',
  };
}

/** Starts one command of the product in its own process, on a database of this run's Postgres. */
export function startProduct(
  bench: Bench,
  part: 'serve' | 'api' | 'worker',
  databaseUrl: string,
  script = productScript,
): Promise<Child> {
  return startNode(bench, script, [part], { env: productEnv(bench, `${part}-data`, databaseUrl) });
}

export function portOf(ready: string): number {
  return Number(new URL(ready).port);
}
