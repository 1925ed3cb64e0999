import path from 'node:path';
import type { Plugin } from 'rolldown';

/** Folder of all bundled files, below the root of the package. */
export const bundleFolder = 'server';

/**
 * Keeps what a module knows by its own place: paths from `import.meta.dirname`, and neighbours that run in a thread, written
 * as `new URL('neighbour.ts', import.meta.url)`. Each neighbour becomes a file of its own.
 */
export function keepPlaces(root: string): Plugin {
  return {
    name: 'keep-places',
    transform(code, id) {
      const folder = path.relative(root, path.dirname(id));
      if (folder.startsWith('..') || folder.includes('node_modules')) return null;
      const fromBundle = path.posix.relative(bundleFolder, folder.replaceAll(path.sep, '/'));
      return code
        .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${fromBundle}')`)
        .replaceAll(/new URL\('([\w-]+\.ts)', import\.meta\.url\)/g, (_, neighbour: string) => {
          const file = this.emitFile({ type: 'chunk', id: path.join(path.dirname(id), neighbour) });
          return `new URL(import.meta.ROLLUP_FILE_URL_${file})`;
        });
    },
  };
}
