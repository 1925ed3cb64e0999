import { glob, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildPackage } from './package/build-package.ts';
import { runOnTestPostgres } from './run-on-test-postgres.ts';

/**
 * Runs all tests on one temporary Postgres. With `--quick` it leaves out those that start a browser or the whole product. Other
 * arguments replace the list of test files and are passed to `node --test`.
 */
const args = process.argv.slice(2);
const isQuick = args[0] === '--quick';
const cwd = path.join(import.meta.dirname, '..');
/** Loading and warming up the server takes a process two seconds of CPU time, so this many files share one. */
const filesPerProcess = 8;
const startsProduct = /^test\/(?:e2e|fuzz|truth)\/|#test\/support\/(?:product|browser)\//;
/** These stop, kill or measure what they start, or take minutes. */
const needsOwnProcess =
  /^test\/(?:e2e\/(?:backup|processes)|fuzz|releases|truth)\/|^server\/(?:sample-data|simulate)\/|startProduct\(|watchTurns|watchLoop|[cC]puUsage|performance\.now/;
const startsBrowser = /^test\/browser\/|\/browser\/browser\.ts'/;
const changesProcess = /process\.env\['TZ'\] =|set(?:Page|Client)Globals|setDefaultCACertificates/;
/** Many tests wait for a timer of the product: one process for each core leaves cores idle. The database has 300 connections. */
const processes = Math.min(3 * availableParallelism(), 8);

const temporary = await mkdtemp(path.join(tmpdir(), 'forgewatch-tests-'));
try {
  const files =
    isQuick || args.length === 0 ? [...(await writeProcesses(temporary)), ...args.slice(1)] : args;
  await runOnTestPostgres(['--test', `--test-concurrency=${processes}`, ...files], {
    // Each process compiles the same modules. The cache saves a sixth of the suite's CPU time.
    NODE_COMPILE_CACHE: path.join(cwd, 'node_modules/.cache/compile'),
    // That of most servers. Tests of other time zones set theirs.
    TZ: 'UTC',
    ...(args.length === 0 && { FORGEWATCH_TEST_PROGRAM: await packageProduct() }),
  });
} finally {
  await rm(temporary, { recursive: true });
}

/** The tests of a whole run start more than a hundred processes of the product. Returns the command that they start. */
async function packageProduct(): Promise<string> {
  const folder = path.join(cwd, 'dist/test-package');
  await buildPackage(folder);
  await symlink(path.join(cwd, 'node_modules/node'), path.join(folder, 'node_modules/node'));
  return path.join(folder, 'bin/forgewatch.js');
}

/** Writes a file for each process, in the order of their start: what takes long comes first. Chromium stays until all files have ended. */
async function writeProcesses(folder: string): Promise<string[]> {
  const { browser, product, own, alone, shared } = await listFiles();
  const programs = alone.map((file) => programOf([file]));
  while (shared.length > 0) programs.push(programOf(shared.splice(0, filesPerProcess)));
  if (!isQuick)
    programs.unshift(
      ...spread(browser).map(
        (files) => `await ${importOf('test/support/browser/browser.ts')};\n${programOf(files)}`,
      ),
      ...spread(product).map(programOf),
      ...own.map((file) => programOf([file])),
    );
  return Promise.all(
    programs.map(async (program, index) => {
      const file = path.join(folder, `${String(index).padStart(4, '0')}.test.mjs`);
      await writeFile(file, program);
      return file;
    }),
  );
}

/** Files of one folder take about as long as each other, so each group gets some of every folder. */
function spread(files: readonly string[]): string[][] {
  const groups = Math.ceil(files.length / filesPerProcess);
  return Array.from({ length: groups }, (_, group) =>
    files.filter((_each, index) => index % groups === group),
  );
}

/** One file is imported as it is. Several follow one another, each as a test whose hooks run at its end. */
function programOf(files: readonly string[]): string {
  if (files.length === 1) return `await ${importOf(files[0]!)};\n`;
  return [
    `import { test } from 'node:test';`,
    ...files.map((file) => `test(${JSON.stringify(file)}, () => ${importOf(file)});`),
  ].join('\n');
}

function importOf(file: string): string {
  return `import(${JSON.stringify(pathToFileURL(path.join(cwd, file)).href)})`;
}

/** The test files: `browser`, `product` and `own` start a browser or the whole product. `own` and `alone` share no process. */
async function listFiles() {
  const found = {
    browser: [] as string[],
    product: [] as string[],
    own: [] as string[],
    alone: [] as string[],
    shared: [] as string[],
  };
  for await (const file of glob('{contract,platform,server,web,scripts,test}/**/*.test.ts', { cwd })) {
    const source = `${file}\n${await readFile(path.join(cwd, file), 'utf8')}`;
    if (startsBrowser.test(source)) found.browser.push(file);
    else if (changesProcess.test(source)) found.alone.push(file);
    else if (!startsProduct.test(source)) found.shared.push(file);
    else found[needsOwnProcess.test(source) ? 'own' : 'product'].push(file);
  }
  for (const files of Object.values(found)) files.sort();
  found.own.reverse();
  return found;
}
