import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const made: string[] = [];
// At the end of the process, when everything that a test started has stopped writing.
process.on('exit', () => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

/** An empty directory. It is removed when the process of the test ends. */
export async function makeTemporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'forgewatch-data-'));
  made.push(directory);
  return directory;
}
