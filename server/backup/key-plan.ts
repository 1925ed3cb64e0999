import { access, readFile, writeFile } from 'node:fs/promises';
import { keyFileIn, makeDirectory } from '#platform/runtime/files/data-dir.ts';
import { isSameSecret } from '#platform/runtime/secrets/same-secret.ts';
import { ConfigError, type Config } from '#platform/runtime/settings/config.ts';
import { keyList } from '#platform/runtime/settings/setting-types.ts';

/** How a restored installation gets its keys. */
export interface KeyPlan {
  /** Where `write` puts them. Undefined when they are configured already. */
  file: string | undefined;
  write(): Promise<void>;
}

/**
 * Decides it before anything is restored: the configured keys if they include those of the backup, the given file, or the file of
 * DATA_DIR when ENCRYPTION_KEY is unset.
 */
export async function planKeys(
  { encryptionKeys, dataDir }: Pick<Config, 'encryptionKeys' | 'dataDir'>,
  keys: readonly string[],
  newFile: string | undefined,
): Promise<KeyPlan> {
  if (newFile !== undefined) return writing(newFile, keys);
  if (encryptionKeys !== undefined) {
    if (!includesAll(encryptionKeys, keys)) throw otherKey();
    return configured;
  }
  await makeDirectory('DATA_DIR', dataDir);
  const own = keyFileIn(dataDir);
  const text = await readFile(own, 'utf8').catch(() => undefined);
  if (text === undefined) return writing(own, keys);
  if (!includesAll(keyList(text.trim()), keys))
    throw new Error(
      `${own} holds another key than the backup. Move the file away if it belongs to no data, or restore with another DATA_DIR.`,
    );
  return configured;
}

const configured: KeyPlan = { file: undefined, write: async () => {} };

async function writing(file: string, keys: readonly string[]): Promise<KeyPlan> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere) throw new Error(`${file} exists. Choose a new file for the key.`);
  return {
    file,
    write: () => writeFile(file, `${keys.join(',')}\n`, { mode: 0o600, flag: 'wx', flush: true }),
  };
}

function includesAll(have: readonly Buffer[], needed: readonly string[]): boolean {
  return needed.every((key) => have.some((one) => isSameSecret(one.toString('base64'), key)));
}

function otherKey(): ConfigError {
  const problem =
    'is (hidden), should list the key of the installation that was backed up. Set it, or let restore write that key to a file with --key-file FILE, and set ENCRYPTION_KEY to the content of the file';
  return new ConfigError([{ name: 'ENCRYPTION_KEY', problem }]);
}
