#!/usr/bin/env node
// Forgewatch runs on the Node version in its package.json. An older Node, such as the system's one under npx, starts the
// pinned Node and forwards signals and the exit code.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { launcherVariable, watchParent } from './parent-end.js';

const pinnedMajor = 26;
const pinned = findPinned();
const source = path.join(import.meta.dirname, '../server/command-line.ts');
// The packaged form holds the bundle instead of the sources.
const main = existsSync(source) ? source : source.replace(/ts$/, 'js');

if (Number(process.versions.node.split('.')[0]) >= pinnedMajor) {
  // Caches stripped types and compiled code. Imported dynamically, because older versions of Node lack this export.
  const { enableCompileCache } = await import('node:module');
  enableCompileCache();
  const { runCommandLine } = await import(main);
  await runCommandLine(process.argv.slice(2), watchParent());
} else if (pinned !== undefined) {
  handOver();
} else {
  process.stderr.write(
    `forgewatch needs Node ${pinnedMajor} or newer, and npm has not installed it. In a clone, run "npm ci". Beside a tarball, allow the install script of "node" with "allowScripts" in package.json, then run "npm rebuild".\n`,
  );
  process.exit(1);
}

/** npm puts it inside of this package, or beside it. Undefined when it is not installed. */
function findPinned() {
  try {
    return createRequire(import.meta.filename).resolve('node/bin/node');
  } catch {
    return undefined;
  }
}

function handOver() {
  const child = spawn(pinned, ['--v8-pool-size=1', import.meta.filename, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, [launcherVariable]: String(process.pid) },
  });
  let isSignalled = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      isSignalled = true;
      child.kill(signal);
    });
  }
  watchParent().addEventListener('abort', () => {
    // A second signal would end a draining child immediately.
    if (!isSignalled) child.kill('SIGTERM');
  });
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 1));
}
