import { readFileSync, readdirSync } from 'node:fs';

/** Linux reports CPU time in hundredths of a second, independent of the kernel's timer. */
const microsOfTick = 10_000;

/**
 * CPU microseconds used by a process and its children, including exited ones; 0 without `/proc`. Other load on the machine changes
 * this far less than elapsed time.
 */
export function cpuMicros(pid: number): number {
  try {
    const own = readStat(pid).ticks;
    const children = readdirSync('/proc').filter(
      (name) => /^\d+$/.test(name) && parentOf(Number(name)) === pid,
    );
    const ticks = children.reduce((sum, child) => sum + ticksOf(Number(child)), own);
    return ticks * microsOfTick;
  } catch {
    return 0;
  }
}

function readStat(pid: number): { parent: number; ticks: number } {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may contain any character. The fields after it are numbers.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent = 0] = fields.slice(1);
  return { parent, ticks: fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) };
}

function parentOf(pid: number): number {
  try {
    return readStat(pid).parent;
  } catch {
    return 0;
  }
}

function ticksOf(pid: number): number {
  try {
    return readStat(pid).ticks;
  } catch {
    return 0;
  }
}
