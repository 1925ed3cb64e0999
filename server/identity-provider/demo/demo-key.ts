import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory } from '#platform/runtime/files/data-dir.ts';
import { keepDataDirPrivate } from '#platform/runtime/files/private-files.ts';
import { isSameSecret } from '#platform/runtime/secrets/same-secret.ts';
import type { Service } from '#platform/runtime/service.ts';

/** The key of the demo sign-in, valid while this process runs: docs/decisions/0013-the-demo-sign-in-needs-a-key.md. */
export interface DemoKey {
  /** The URL that signs people in. It is shown only on the operator's terminal. */
  address: string;
  matches(given: string): boolean;
  /** Stores the URL for `forgewatch doctor` while this process listens. */
  service: Service;
}

const fileIn = (dataDir: string): string => path.join(dataDir, 'demo-sign-in.url');

export function makeDemoKey(dataDir: string, publicUrl: string): DemoKey {
  // Hexadecimal, so that a double click selects the whole key.
  const key = randomBytes(16).toString('hex');
  const address = `${publicUrl}/?key=${key}`;
  return {
    address,
    matches: (given) => isSameSecret(given, key),
    service: {
      name: 'demo sign-in',
      start: async () => {
        await makeDirectory('DATA_DIR', dataDir);
        await keepDataDirPrivate(dataDir);
        // An existing file keeps its mode.
        await rm(fileIn(dataDir), { force: true });
        await writeFile(fileIn(dataDir), `${address}\n`, { mode: 0o600 });
      },
      stop: async () => {
        if ((await readDemoAddress(dataDir)) === address) await rm(fileIn(dataDir), { force: true });
      },
    },
  };
}

/** The URL of the process that was started last with this data directory. Undefined if none runs. */
export async function readDemoAddress(dataDir: string): Promise<string | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => undefined);
  return text?.trim();
}
