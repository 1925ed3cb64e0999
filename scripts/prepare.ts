import { symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';

/**
 * Runs after `npm ci`: builds the web app, and links this clone's command into node_modules/.bin, where npx finds it. npm does this
 * only for installed packages.
 */
const root = path.join(import.meta.dirname, '..');
const link = path.join(root, 'node_modules/.bin/forgewatch');

try {
  unlinkSync(link);
} catch {
  // The link does not exist before the first install.
}
symlinkSync('../../bin/forgewatch.js', link);
await build({ configFile: path.join(root, 'web/vite.config.ts'), logLevel: 'warn' });
