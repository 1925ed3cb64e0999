import { symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';

/**
 * Runs after `npm ci`: builds the web app, and links this clone's command into node_modules/.bin, where npx finds it. npm does this
 * only for installed packages. The first `npx forgewatch` runs it again, because npm installs the clone into the cache of npx. Nothing is
 * built then: a running server would lose the files that open screens load.
 */
if (process.env['npm_command'] !== 'exec') {
  linkCommand();
  await build({ configFile: path.join(import.meta.dirname, '../web/vite.config.ts'), logLevel: 'warn' });
}

function linkCommand(): void {
  const link = path.join(import.meta.dirname, '../node_modules/.bin/forgewatch');
  try {
    unlinkSync(link);
  } catch {
    // The link does not exist before the first install.
  }
  symlinkSync('../../bin/forgewatch.js', link);
}
