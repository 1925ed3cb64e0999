import { randomBytes } from 'node:crypto';
import { access, constants, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError, type Config } from '../settings/config.ts';
import { keyList } from '../settings/setting-types.ts';

/** The configured keys, or the key in `DATA_DIR`, which is generated at first use. The first key encrypts, all decrypt. */
export async function loadMasterKeys(
  config: Pick<Config, 'encryptionKeys' | 'dataDir'>,
): Promise<[Buffer, ...Buffer[]]> {
  const [first, ...rest] = config.encryptionKeys ?? [await ownKey(config.dataDir)];
  if (first === undefined) throw new Error('ENCRYPTION_KEY contains no key');
  return [first, ...rest];
}

async function ownKey(dataDir: string): Promise<Buffer> {
  const file = path.join(dataDir, 'encryption.key');
  await makeDirectory('DATA_DIR', dataDir);
  // With `wx` only one of two concurrent processes writes the key; the other one reads it.
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
    `${file} must contain 32 bytes in base64. Restore the key from a backup. Delete the file only if no data is stored yet.`,
  );
}

/** @throws ConfigError that names the setting when the directory cannot be created or written to. */
export async function makeDirectory(setting: 'DATA_DIR' | 'LOG_DIR', directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
  } catch (error) {
    const problem = `is ${JSON.stringify(directory)}, should be a directory that this account may write to: ${(error as Error).message}`;
    throw new ConfigError([{ name: setting, problem }], { cause: error });
  }
}
