import { spawn } from 'node:child_process';
import path from 'node:path';

/** Runs the server with restart on change, and Vite with hot reload in front of it. When one exits, the other is stopped. */
const root = path.join(import.meta.dirname, '..');
/** Vite serves the page, and the socket connects to the server. */
const env = { WEB_ORIGINS: 'http://localhost:8787,http://localhost:5173', ...process.env };
const children = [
  spawn(
    process.execPath,
    ['--watch-path=server', '--watch-path=platform', '--watch-path=contract', 'bin/forgewatch.js', 'serve'],
    { cwd: root, env, stdio: 'inherit' },
  ),
  spawn(process.execPath, ['node_modules/vite/bin/vite.js', '--config', 'web/vite.config.ts'], {
    cwd: root,
    stdio: 'inherit',
  }),
];
process.on('SIGTERM', () => {
  for (const child of children) child.kill();
});
for (const child of children) {
  child.on('exit', (code) => {
    for (const other of children) other.kill();
    process.exitCode = code ?? 0;
  });
}
