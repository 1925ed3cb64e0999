import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/**
 * Lists the files of each dynamically imported part in the page. Browsers do not retry a failed module import until
 * the page is reloaded, so the app fetches the files of a part before importing it.
 */
export function listParts(): Plugin {
  return {
    name: 'list-parts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) => {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const imported = new Map(chunks.map(({ fileName, imports }) => [fileName, imports]));
        const withImports = (file: string, files = new Set<string>()): Set<string> => {
          if (files.has(file)) return files;
          files.add(file);
          for (const each of imported.get(file) ?? []) withImports(each, files);
          return files;
        };
        const isLoaded = new Set(
          chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName }) => [...withImports(fileName)]),
        );
        const isPart = new Set(chunks.flatMap(({ dynamicImports }) => dynamicImports));
        const content = chunks
          .filter(({ fileName }) => isPart.has(fileName))
          .map(({ name, fileName }) =>
            [name, ...[...withImports(fileName)].filter((file) => !isLoaded.has(file))].join(' '),
          )
          .join(',');
        // Before the early start, which reads it.
        return [{ tag: 'meta', attrs: { name: 'parts', content }, injectTo: 'head-prepend' }];
      },
    },
  };
}

const compressed = /\.(js|css|svg|html)$/;

/** Writes compressed copies at build time instead of at each request. */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    writeBundle: async ({ dir = '' }, bundle) => {
      const files = Object.keys(bundle).filter((name) => compressed.test(name));
      await Promise.all(files.map((name) => compressFile(path.join(dir, name))));
    },
  };
}

async function compressFile(file: string): Promise<void> {
  const bytes = await readFile(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await Promise.all([
    promisify(brotliCompress)(bytes, { params }).then((small) => writeFile(`${file}.br`, small)),
    promisify(gzip)(bytes, { level: 9 }).then((small) => writeFile(`${file}.gz`, small)),
  ]);
}
