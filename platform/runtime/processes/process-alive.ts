import { readFile } from 'node:fs/promises';

/** Whether a process with this ID exists, including processes of other accounts. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Identifies a process across reuse of its ID, which is common in containers: process ID and, from /proc where available,
 * boot ID and start time. Undefined when the process does not exist.
 */
export async function processMark(pid: number): Promise<string | undefined> {
  if (!isAlive(pid)) return undefined;
  const [boot, stat] = await Promise.all(
    ['/proc/sys/kernel/random/boot_id', `/proc/${pid}/stat`].map((file) =>
      readFile(file, 'utf8').catch(() => undefined),
    ),
  );
  if (boot === undefined || stat === undefined) return String(pid);
  // The process name in parentheses may contain spaces. After it, field 3 is first and field 22 (start time) is at 19.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const hasEnded = fields[0] === 'Z';
  return hasEnded ? undefined : `${pid} ${boot.trim()} ${fields[19]}`;
}

/** Whether the process with this mark runs and is another one. */
export async function runsElsewhere(mark: string): Promise<boolean> {
  const pid = Number(mark.split(' ', 1)[0]);
  return pid !== process.pid && (await processMark(pid)) === mark;
}
