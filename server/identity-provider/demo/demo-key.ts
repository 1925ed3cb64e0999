import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory } from '#platform/runtime/files/data-dir.ts';
import { keepDataDirPrivate } from '#platform/runtime/files/private-files.ts';
import { isSameSecret } from '#platform/runtime/secrets/same-secret.ts';
import type { Service } from '#platform/runtime/service.ts';

/** Opens the demo sign-in of one process, for as long as it runs: docs/decisions/0013-the-demo-sign-in-needs-a-key.md. */
export interface DemoKey {
  /** The address that signs people in; only for the terminal of the operator. */
  address: string;
  matches(given: string): boolean;
  /** Keeps the address for `forgewatch doctor`, from when this process listens until it stops. */
  service: Service;
}

const fileIn = (dataDir: string): string => path.join(dataDir, 'demo-sign-in.url');

export function makeDemoKey(dataDir: string, publicUrl: string): DemoKey {
  // In hexadecimal, so that a double click selects all of it.
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
        // A file keeps the mode that it was made with.
        await rm(fileIn(dataDir), { force: true });
        await writeFile(fileIn(dataDir), `${address}\n`, { mode: 0o600 });
      },
      stop: async () => {
        if ((await readDemoAddress(dataDir)) === address) await rm(fileIn(dataDir), { force: true });
      },
    },
  };
}

/** The address of the process on this directory that was started last; undefined while there is none. */
export async function readDemoAddress(dataDir: string): Promise<string | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => undefined);
  return text?.trim();
}
