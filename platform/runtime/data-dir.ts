import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from './config.ts';
import { keyList } from './setting-types.ts';

/** The configured keys, else the one under `DATA_DIR`, made at first use with mode 0600. The first seals, all open. */
export async function loadMasterKeys(
  config: Pick<Config, 'encryptionKeys' | 'dataDir'>,
): Promise<[Buffer, ...Buffer[]]> {
  const [first, ...rest] = config.encryptionKeys ?? [await ownKey(config.dataDir)];
  if (first === undefined) throw new Error('ENCRYPTION_KEY holds no key');
  return [first, ...rest];
}

async function ownKey(dataDir: string): Promise<Buffer> {
  const file = path.join(dataDir, 'encryption.key');
  await mkdir(dataDir, { recursive: true });
  // `wx` makes exactly one of two processes that start together the author; the other reads.
  await writeFile(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  return readKey(file, await readFile(file, 'utf8'));
}

function readKey(file: string, text: string): Buffer {
  try {
    const [key] = keyList(text.trim());
    if (key !== undefined) return key;
  } catch {}
  throw new Error(
    `${file} should hold 32 bytes in base64, and does not. Put the key back from a backup; delete the file only if nothing was stored yet.`,
  );
}
