import { readFile } from 'node:fs/promises';

/** Whether a process of this id exists, ours to signal or not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Tells a process from a later one of the same id, which in a container is the rule: the id, and where /proc says them
 * the machine's boot and the process' start after it. Undefined when there is no such process.
 */
export async function processMark(pid: number): Promise<string | undefined> {
  if (!isAlive(pid)) return undefined;
  const [boot, stat] = await Promise.all(
    ['/proc/sys/kernel/random/boot_id', `/proc/${pid}/stat`].map((file) =>
      readFile(file, 'utf8').catch(() => undefined),
    ),
  );
  if (boot === undefined || stat === undefined) return String(pid);
  // The name, in brackets, may hold anything; after it the third field is the first, and the start the 22nd.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const hasEnded = fields[0] === 'Z';
  return hasEnded ? undefined : `${pid} ${boot.trim()} ${fields[19]}`;
}

/** Whether the process that bore this mark still runs, and is not this one. */
export async function runsElsewhere(mark: string): Promise<boolean> {
  const pid = Number(mark.split(' ', 1)[0]);
  return pid !== process.pid && (await processMark(pid)) === mark;
}
