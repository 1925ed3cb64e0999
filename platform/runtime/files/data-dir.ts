import { randomBytes } from 'node:crypto';
import { access, constants, mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError, type Config } from '../settings/config.ts';
import { keyList } from '../settings/setting-types.ts';

/** The configured keys, or those in `DATA_DIR`, where one is generated at first use. The first key encrypts, all decrypt. */
export async function loadMasterKeys(
  config: Pick<Config, 'encryptionKeys' | 'dataDir'>,
): Promise<[Buffer, ...Buffer[]]> {
  const [first, ...rest] = config.encryptionKeys ?? (await ownKeys(config.dataDir));
  if (first === undefined) throw new Error('ENCRYPTION_KEY contains no key');
  return [first, ...rest];
}

/** Puts a new key in front of those in `DATA_DIR`. Returns the name of the file. A crash leaves the old file or the new one. */
export async function addOwnKey(dataDir: string): Promise<string> {
  const keys = await ownKeys(dataDir);
  const file = keyFileIn(dataDir);
  if (keys.length > 1)
    throw new Error(
      `${file} lists ${keys.length} keys already. Run forgewatch rotate-key, and remove the old key as forgewatch doctor says.`,
    );
  const list = [randomBytes(32), ...keys].map((key) => key.toString('base64')).join(',');
  const { uid, gid } = await stat(file);
  const written = await open(`${file}.new`, 'w', 0o600);
  try {
    // The service may run with another account than this command.
    await written.chown(uid, gid);
    await written.writeFile(`${list}\n`);
    await written.sync();
  } finally {
    await written.close();
  }
  await rename(`${file}.new`, file);
  return file;
}

/** Where the keys of this installation are listed, for messages. */
export const placeOfKeys = ({ encryptionKeys }: Pick<Config, 'encryptionKeys'>): string =>
  encryptionKeys === undefined ? 'DATA_DIR/encryption.key' : 'ENCRYPTION_KEY';

/** Where the keys are when ENCRYPTION_KEY is unset. */
export const keyFileIn = (dataDir: string): string => path.join(dataDir, 'encryption.key');

async function ownKeys(dataDir: string): Promise<Buffer[]> {
  const file = keyFileIn(dataDir);
  await makeDirectory('DATA_DIR', dataDir);
  // With `wx` only one of two concurrent processes writes the key; the other one reads it.
  await writeFile(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  return readKeys(file, await readFile(file, 'utf8'));
}

function readKeys(file: string, text: string): Buffer[] {
  try {
    return keyList(text.trim());
  } catch {
    throw new Error(
      `${file} must contain 32 bytes in base64, or several such keys with commas. Restore the key from a backup. Delete the file only if no data is stored yet.`,
    );
  }
}

/** @throws ConfigError that names the setting when the directory cannot be created or written to. */
export async function makeDirectory(setting: 'DATA_DIR' | 'LOG_DIR', directory: string): Promise<void> {
  try {
    await makeEach(directory);
    await access(directory, constants.W_OK);
  } catch (error) {
    const problem = `is ${JSON.stringify(directory)}, should be a directory that this account may write to: ${(error as Error).message}`;
    throw new ConfigError([{ name: setting, problem }], { cause: error });
  }
}

/**
 * Creates a directory and those above it. `mkdir` with `recursive` of Node 26 never ends below a directory that accepts none, such
 * as /proc.
 */
async function makeEach(directory: string): Promise<void> {
  const missing: string[] = [];
  for (let at = directory; !(await isThere(at)); at = path.dirname(at)) missing.unshift(at);
  for (const each of missing)
    await mkdir(each).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  if (!(await stat(directory)).isDirectory()) throw new Error('EEXIST: it is a file');
}

/** True also when it cannot be known: using it then tells why. */
function isThere(at: string): Promise<boolean> {
  return stat(at).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT',
  );
}
