import path from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, build, type Plugin } from 'vite';
import { dropSchemas } from './build-contract.ts';

const server = 'http://127.0.0.1:8787';

/** Small modules that several pages share. Lazily loaded parts, and what few pages need, keep files of their own. */
const pieces =
  /[\\/](contract|web|lucide-react)[\\/](?!.*(dialog|popup|palette|toasts|line-text|failure-trace|group-status|test-texts|integrations.home))/;

/** What the overview shares with one other page each. */
const ofOverview = /(smooth-moves|hidden-workflow|run-strip|failing-job)\./;
/** What the page of runs shares with one other part each. */
const ofRuns = /[\\/](time-filter|views-query|use-pull-request-hits)\./;
/** What the pages of metrics, a workflow and health share. */
const ofMetrics = /metrics[\\/](figure-links|metrics-charts|metrics-tables|number-columns)\./;
/** What the page of a run shares with those of its log, its failures and its tests. */
const ofRun =
  /runs[\\/]page[\\/]|(line-text|log-excerpt|failure-trace|commits-between|compare-url|test-texts)\./;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    tailwindcss({ optimize: false }),
    dropSchemas(),
    listParts(),
    earlyStart(),
    precompress(),
  ],
  build: {
    outDir: path.join(import.meta.dirname, '../dist/web'),
    emptyOutDir: true,
    // The budget test checks the compressed size of the first load.
    reportCompressedSize: false,
    // The content security policy forbids data: scripts, and small files are cheap over HTTP/2.
    assetsInlineLimit: 0,
    // The app fetches the files of a part before it imports it.
    modulePreload: false,
    rolldownOptions: {
      output: {
        // Few files: over HTTP/1.1 a browser loads six at a time, and each costs a round trip.
        codeSplitting: {
          groups: [
            { name: 'app', tags: ['$initial'] },
            { name: 'common', test: pieces, minShareCount: 3, maxModuleSize: 4000 },
            { name: 'overview-parts', test: ofOverview, minShareCount: 2 },
            { name: 'filters', test: ofRuns, minShareCount: 2 },
            { name: 'figures', test: ofMetrics, minShareCount: 2 },
            { name: 'run-parts', test: ofRun, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      '/api': server,
      '/config.json': server,
      '/ws': { target: server, ws: true },
    },
  },
});

const entry = path.join(import.meta.dirname, 'app/first-load/early-start.ts');

/**
 * Puts the early start into the page, where it waits for no file. The server allows it by its hash in the content security
 * policy. It follows the tag of the app, which is requested first.
 */
function earlyStart(): Plugin {
  return {
    name: 'early-start',
    transformIndexHtml: {
      order: 'post',
      handler: async (html) => {
        const script = `<script>${await bundle()}</script>`;
        // A script after the style sheet would wait for it.
        return html.replace(/<script type="module".*?<\/script>/, (app) => `${app}\n    ${script}`);
      },
    },
  };
}

async function bundle(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [dropSchemas()],
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: {
        input: entry,
        output: { format: 'iife' },
      },
    },
  });
  const [chunk] = [built].flat().flatMap((result) => ('output' in result ? result.output : []));
  if (chunk?.type !== 'chunk' || /<\/script|<!--/i.test(chunk.code))
    throw new Error('The early start cannot be put into the page.');
  return chunk.code.trim();
}

/**
 * Lists the files of each dynamically imported part in the page. Browsers do not retry a failed module import until
 * the page is reloaded, so the app fetches the files of a part before importing it.
 */
function listParts(): Plugin {
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
function precompress(): Plugin {
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
