import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startEmbeddedPostgres } from '#platform/database/embedded/embedded-postgres.ts';
import { makeEnterableDirectory } from '#test/support/product/enterable-directory.ts';
import { budgets } from './bench/budgets.ts';
import { record, table, type Recorded } from './bench/record.ts';
import type { Bench, Budget } from './bench/types.ts';
import { makeEnds } from './ends.ts';

/**
 * Measures the performance budgets as ratios within one run. `npm run bench` measures all and records the results.
 * `npm run bench -- P1 P8` measures some, and records them only with `--write`. `--keep DIRECTORY` keeps the history that P11
 * loads for the next run.
 */
const { values: flags, positionals: names } = parseArgs({
  options: {
    write: { type: 'boolean' },
    quick: { type: 'boolean', default: false },
    mixed: { type: 'boolean', default: false },
    runs: { type: 'string', default: '5000000' },
    keep: { type: 'string' },
  },
  allowPositionals: true,
});
const unknown = names.filter((name) => !budgets.some(({ id }) => id === name));
if (unknown.length > 0)
  fail(`Unknown budget: ${unknown.join(', ')}. Choose from ${budgets.map(({ id }) => id).join(' ')}.`);
const chosen =
  names.length === 0
    ? budgets.filter(({ isOnlyByName }) => !isOnlyByName)
    : budgets.filter(({ id }) => names.includes(id));
const isRecorded = !flags.quick && (flags.write ?? names.length === 0);

const ends = makeEnds();
const startedAt = Date.now();
const results: Recorded[] = [];
try {
  const bench = await openBench();
  for (const budget of chosen) results.push(...(await measure(bench, budget)));
} finally {
  await ends.endDownTo(0);
  // A budget that could not be measured leaves the others.
  if (isRecorded) await record(results);
}
const loads = results.flatMap(({ load }) => load).map((load) => load.toFixed(1));
process.stdout.write(
  `${table(results)}\n${availableParallelism()} cores, load average ${loads[0]} to ${loads.at(-1)}, ` +
    `${((Date.now() - startedAt) / 60_000).toFixed(1)} min${flags.quick ? ', --quick: small sizes' : ''}\n`,
);

/** Each budget stops everything that it started, so that the next one has the machine to itself. */
async function measure(bench: Bench, { id, what, run }: Budget): Promise<Recorded[]> {
  const before = ends.count();
  const loadBefore = load();
  bench.say(`${id}: ${what}`);
  try {
    const measured = await run(bench);
    const circumstances = { at: new Date().toISOString(), cores: availableParallelism() };
    for (const { id: row, measured: figure, budget, met } of measured)
      bench.say(
        `  ${row} ${figure}; ${budget === '-' ? 'for comparison' : `budget ${budget}: ${met ? 'met' : 'not met'}`}`,
      );
    return measured.map((result) => ({ ...result, ...circumstances, load: [loadBefore, load()] }));
  } finally {
    await ends.endDownTo(before);
  }
}

async function openBench(): Promise<Bench> {
  const directory = await openDirectory();
  const postgres = await startEmbeddedPostgres({ directory: path.join(directory, 'postgres') });
  ends.onEnd(() => postgres.stop());
  return {
    directory,
    masterKey: await masterKeyIn(directory),
    isQuick: flags.quick,
    isMixed: flags.mixed,
    historyRuns: Number(flags.quick ? 20_000 : flags.runs),
    say: (text) => void process.stderr.write(`${text}\n`),
    onEnd: ends.onEnd,
    ...databasesOf(postgres.url),
    postgresPid: () => postgres.pid(),
  };
}

/** The directory of `--keep`, or a new one that is removed at the end. */
async function openDirectory(): Promise<string> {
  if (flags.keep === undefined) {
    const { directory, remove } = await makeEnterableDirectory('bench');
    ends.onEnd(remove);
    return directory;
  }
  const directory = path.resolve(flags.keep);
  await mkdir(directory, { recursive: true });
  // Postgres may run as another account.
  await chmod(directory, 0o755);
  return directory;
}

/** The passwords of a kept database are derived from the key. */
async function masterKeyIn(directory: string): Promise<Buffer> {
  const file = path.join(directory, 'master-key');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return Buffer.from(text, 'base64');
  const key = randomBytes(32);
  await writeFile(file, key.toString('base64'), { mode: 0o600 });
  return key;
}

function load(): number {
  return loadavg()[0] ?? 0;
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

/** Manages the databases of a cluster with the owner's URL. */
function databasesOf(clusterUrl: string): Pick<Bench, 'createDatabase' | 'findDatabase' | 'renameDatabase'> {
  const urlOf = (name: string) => {
    const url = new URL(clusterUrl);
    url.pathname = `/${name}`;
    return url.href;
  };
  const query = async (text: string, values: string[] = []) => {
    const client = new pg.Client({ connectionString: clusterUrl });
    await client.connect();
    const { rowCount } = await client.query(text, values);
    await client.end();
    return rowCount ?? 0;
  };
  return {
    createDatabase: async (name) => {
      // An interrupted run may have left the database.
      await query(`drop database if exists ${pg.escapeIdentifier(name)}`);
      await query(`create database ${pg.escapeIdentifier(name)}`);
      return urlOf(name);
    },
    findDatabase: async (name) => {
      const count = await query('select from pg_database where datname = $1', [name]);
      return count === 0 ? undefined : urlOf(name);
    },
    renameDatabase: async (url, name) => {
      const old = new URL(url).pathname.slice(1);
      await query(`alter database ${pg.escapeIdentifier(old)} rename to ${pg.escapeIdentifier(name)}`);
      return urlOf(name);
    },
  };
}
