import path from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { dropSchemas } from './build-contract.ts';
import { earlyStart } from './build-early-start.ts';
import { listParts, precompress } from './build-plugins.ts';

const server = 'http://127.0.0.1:8787';

/** Small modules that several pages share. Lazily loaded parts, and what few pages need, keep files of their own. */
const pieces =
  /[\\/](contract|web|lucide-react)[\\/](?!.*(dialog|popup|palette|toasts|line-text|failure-trace|group-status|test-texts|integrations.home))/;

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
