import { chmod, chown, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Keeps other accounts out of DATA_DIR, also out of one that an earlier version left open. Started by root, Postgres runs as
 * another account and has to pass through to its own files: its group may, without listing what else lies there.
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
 * Keeps other accounts from the files that `isOurs` names, and from the directory when nothing else lies in it. Who
 * puts other files there, as in /var/log, says who may enter.
 */
export async function keepLogDirPrivate(logDir: string, isOurs: (name: string) => boolean): Promise<void> {
  const names = await readdir(logDir);
  if (names.every(isOurs)) await chmod(logDir, 0o700);
  for (const name of names.filter(isOurs)) await chmod(path.join(logDir, name), 0o600);
}
