import { symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';

/**
 * Runs after `npm ci`: builds the web app, and puts this clone's own command where npx looks for it, which npm does only
 * for packages that are installed.
 */
const root = path.join(import.meta.dirname, '..');
const link = path.join(root, 'node_modules/.bin/forgewatch');

try {
  unlinkSync(link);
} catch {
  // It was not there: the first install.
}
symlinkSync('../../bin/forgewatch.js', link);
await build({ configFile: path.join(root, 'web/vite.config.ts'), logLevel: 'warn' });
