import { spawn } from 'node:child_process';
import path from 'node:path';

/** The server with restart on change, and Vite with hot reload in front of it; both end together. */
const root = path.join(import.meta.dirname, '..');
/** The page comes from Vite, the socket from the server. */
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
