import path from 'node:path';
import type { Browser } from 'playwright-core';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { makeEnterableDirectory } from '#test/support/product/enterable-directory.ts';
import { noteDemoAddressIn } from '#test/support/identity/demo-keys.ts';
import { launchBrowser } from '#test/support/browser/launch-browser.ts';
import { testMetricsToken } from '#test/support/product/operator-metrics.ts';
import { runProduct } from '#test/support/product/product-process.ts';
import { startNode } from './bench/children.ts';
import { productScript } from './bench/product.ts';
import type { Ends } from './ends.ts';

/** A running product for a script, and a browser. */
export interface Trial {
  publicUrl: string;
  dataDir: string;
  browser: Browser;
  /** Runs another `forgewatch` command and resolves to its standard output. */
  run(...args: string[]): Promise<string>;
  createIntegration(label: string): Promise<{ integrationId: string; secret: string }>;
  /** Stops the product, waits for `whileStopped` and starts it again at the same address with the same data. */
  restart(whileStopped: () => Promise<void>): Promise<void>;
}

/** Starts the product and a browser on temporary files that are removed at the end. */
export async function startTrial({ onEnd }: Pick<Ends, 'onEnd'>): Promise<Trial> {
  const { directory, remove } = await makeEnterableDirectory('trial');
  onEnd(remove);
  const dataDir = path.join(directory, 'data');
  const port = await freePort();
  const publicUrl = `http://localhost:${port}`;
  const env = {
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    LOG_LEVEL: 'warn',
    METRICS_TOKEN: testMetricsToken,
  };
  const start = () => startNode({ onEnd }, productScript, ['serve'], { env });
  let product = await start();
  await noteDemoAddressIn(dataDir);
  // Otherwise a signal to the browser would end this process without its cleanups.
  const browser = await launchBrowser({ handleSIGINT: false, handleSIGTERM: false });
  onEnd(() => browser.close());
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runProduct(args, env);
    if (code !== 0) throw new Error(`forgewatch ${args[0]}: ${stderr}`);
    return stdout;
  };
  return {
    publicUrl,
    dataDir,
    browser,
    run,
    createIntegration: async (label) => {
      const made = JSON.parse(await run('integration', 'create', '--label', label)) as {
        integrationId: string;
        webhookSecret: string;
      };
      return { integrationId: made.integrationId, secret: made.webhookSecret };
    },
    restart: async (whileStopped) => {
      await product.stop();
      await whileStopped();
      product = await start();
    },
  };
}
