import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Lines as `sha256sum` writes them: the checksum of each migration, in order. */
export async function checksumMigrations(directory: string): Promise<string> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).toSorted();
  const lines = files.map(async (file) => {
    const content = await readFile(path.join(directory, file));
    return `${createHash('sha256').update(content).digest('hex')}  ${file}\n`;
  });
  return (await Promise.all(lines)).join('');
}

/**
 * What is wrong with migrations after a release: its files are there without a change, and others come after them. Both arguments
 * are what `checksumMigrations` returns.
 */
export function changesToReleased(released: string, present: string): string[] {
  const [before, now] = [entriesOf(released), entriesOf(present)];
  const checksums = new Map(now);
  const changed = before.flatMap(([file, checksum]) => {
    if (!checksums.has(file)) return [`${file} is missing`];
    return checksums.get(file) === checksum ? [] : [`${file} is changed`];
  });
  const last = before.at(-1)?.[0] ?? '';
  const names = new Set(before.map(([file]) => file));
  const early = now.flatMap(([file]) =>
    file < last && !names.has(file) ? [`${file} must come after ${last}`] : [],
  );
  return [...changed, ...early];
}

function entriesOf(lines: string): [file: string, checksum: string][] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [line.slice(66), line.slice(0, 64)]);
}
