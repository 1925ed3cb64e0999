#!/usr/bin/env node
// The product runs on the Node that its own package.json pins. Started by an older one (npx on the system's Node), it
// hands over to that one, signals and exit code included.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { launcherVariable, watchParent } from './parent-end.js';

const pinnedMajor = 26;
const pinned = path.join(import.meta.dirname, '../node_modules/node/bin/node');
const main = path.join(import.meta.dirname, '../server/command-line.ts');

if (Number(process.versions.node.split('.')[0]) >= pinnedMajor) {
  // Types are stripped and code is compiled once, not at every start. An older Node does not know the name.
  const { enableCompileCache } = await import('node:module');
  enableCompileCache();
  const { runCommandLine } = await import(main);
  await runCommandLine(process.argv.slice(2), watchParent());
} else if (existsSync(pinned)) {
  handOver();
} else {
  process.stderr.write(
    `forgewatch needs Node ${pinnedMajor} or newer. Run "npm ci" in the clone: it brings its own.\n`,
  );
  process.exit(1);
}

function handOver() {
  const child = spawn(pinned, [import.meta.filename, ...process.argv.slice(2)], {
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
    // A second signal would end a child that drains.
    if (!isSignalled) child.kill('SIGTERM');
  });
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 1));
}
