import { randomBytes } from 'node:crypto';
import { access, constants, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError, type Config } from '../settings/config.ts';
import { keyList } from '../settings/setting-types.ts';

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
  await makeDirectory('DATA_DIR', dataDir);
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

/** @throws ConfigError that names the setting when there can be no directory there, or it is not ours to write to. */
export async function makeDirectory(setting: 'DATA_DIR' | 'LOG_DIR', directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
  } catch (error) {
    const problem = `is ${JSON.stringify(directory)}, should be a directory that this account may write to: ${(error as Error).message}`;
    throw new ConfigError([{ name: setting, problem }], { cause: error });
  }
}
