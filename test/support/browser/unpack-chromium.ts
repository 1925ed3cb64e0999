import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const modules = path.join(import.meta.dirname, '../../../node_modules');
const folder = path.join(modules, '.cache/chromium');
const unpack = `import chromium from '@sparticuz/chromium'; await chromium.executablePath();`;

/**
 * Unpacks the packaged Chromium at the first call after an install, and returns the path of its program. The package unpacks into
 * the system's temporary directory and uses whatever is there, also what another process is still writing or did not finish.
 */
export async function unpackChromium(): Promise<string> {
  if (!existsSync(folder)) {
    const own = await mkdtemp(path.join(modules, '.chromium-'));
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', unpack], {
      cwd: modules,
      env: { ...process.env, TMPDIR: own },
    });
    await keep(own);
  }
  return path.join(folder, 'chromium');
}

/** Renames the complete folder, unless another process was faster. */
async function keep(own: string): Promise<void> {
  try {
    await rename(own, folder);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}
