import { chmod, chown, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Makes DATA_DIR private to this account. Under root, Postgres runs as another account, so its group may enter the
 * directory without listing it.
 */
export async function keepDataDirPrivate(dataDir: string): Promise<void> {
  const cluster = await stat(path.join(dataDir, 'postgres')).catch(() => undefined);
  try {
    if (cluster === undefined || cluster.uid === process.getuid?.()) return await chmod(dataDir, 0o700);
    await chown(dataDir, (await stat(dataDir)).uid, cluster.gid);
    await chmod(dataDir, 0o710);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/**
 * Makes our log files private, and the directory too if it contains no other files. The owner of a shared directory, such
 * as /var/log, decides about its access.
 */
export async function keepLogDirPrivate(logDir: string, isOurs: (name: string) => boolean): Promise<void> {
  const names = await readdir(logDir);
  if (names.every(isOurs)) await chmod(logDir, 0o700);
  for (const name of names.filter(isOurs)) await chmod(path.join(logDir, name), 0o600);
}
