import path from 'node:path';
import { build, type Plugin } from 'vite';
import { dropSchemas } from './build-contract.ts';

const entry = path.join(import.meta.dirname, 'app/first-load/early-start.ts');

/**
 * Puts the early start into the page, where it waits for no file. The server allows it by its hash in the content security
 * policy. It follows the tag of the app, which is requested first.
 */
export function earlyStart(): Plugin {
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
