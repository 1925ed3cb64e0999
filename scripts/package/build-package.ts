import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { bundleFolder, keepPlaces } from './keep-places.ts';
import { externalPackages, listInstalledPlaces, makePackageManifest } from './package-manifest.ts';

const root = path.join(import.meta.dirname, '../..');

/** Copied as they are. */
const files = ['bin', 'migrations', 'dist/web', 'LICENSE', 'README.md', 'CHANGELOG.md'];

/** Almost half of the files of its packages, which no program reads. */
const typeDeclaration = /\.d\.[cm]?ts(\.map)?$/;

/**
 * Writes the packaged form: the server in a few files, which load in a fraction of the time of 2,100 modules. Needs the built
 * web app, and the production dependencies in a `node_modules` above it. Returns the paths of the bundled modules.
 */
export async function buildPackage(directory: string): Promise<string[]> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  for (const file of files) await cp(path.join(root, file), path.join(directory, file), { recursive: true });
  const [project, lock] = await Promise.all(['package.json', 'package-lock.json'].map(readJson));
  const manifest = makePackageManifest(project);
  await writeFile(path.join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const place of listInstalledPlaces(manifest.bundleDependencies, lock)) {
    // A package of another package's folder comes with it. Peers and packages of other platforms may not be installed.
    const nested = place.indexOf('/node_modules/') !== -1;
    if (nested || !existsSync(path.join(root, place))) continue;
    await cp(path.join(root, place), path.join(directory, place), {
      recursive: true,
      filter: (source) => !typeDeclaration.test(source),
    });
  }
  const bundle = await rolldown({
    input: path.join(root, 'server/command-line.ts'),
    cwd: root,
    platform: 'node',
    // `pg` stays in the bundle and looks for `pg-native`, which is not a dependency.
    external: (id) => id === 'pg-native' || (externalPackages.test(id) && !/^pg(\/|$)/.test(id)),
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

/** Writes the packaged form as `forgewatch-VERSION.tgz`, with its SHA-256 beside it as `sha256sum` does. Returns its path. */
export async function packTarball(directory: string, to: string): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', to], {
    cwd: directory,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const tarball = path.join(to, filename);
  const checksum = createHash('sha256').update(await readFile(tarball));
  await writeFile(`${tarball}.sha256`, `${checksum.digest('hex')}  ${filename}\n`);
  return tarball;
}

async function readJson(file: string) {
  return JSON.parse(await readFile(path.join(root, file), 'utf8'));
}
