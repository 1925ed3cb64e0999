import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '#platform/database/embedded-postgres.ts';
import { budgets } from './bench/budgets.ts';
import type { Bench, Budget, Result } from './bench/types.ts';

/**
 * Measures the budgets of the performance design as ratios taken in one run. `npm run bench` runs all and writes
 * docs/performance.json; `npm run bench -- P1 P8` runs some and writes nothing.
 */
const wanted = process.argv.slice(2);
const chosen = wanted.length === 0 ? budgets : budgets.filter(({ id }) => wanted.includes(id));
if (chosen.length === 0)
  throw new Error(`There is no such budget. There are: ${budgets.map(({ id }) => id).join(' ')}`);

const results: Result[] = [];
const startedAt = Date.now();
const loadBefore = loadavg()[0] ?? 0;
const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Error(signal)));
});
await withBench(async (bench) => {
  for (const budget of chosen) results.push(...(await Promise.race([measure(bench, budget), interrupted])));
});

process.stdout.write(table(results));
const minutes = (Date.now() - startedAt) / 60_000;
process.stdout.write(
  `\n${availableParallelism()} cores, load ${loadBefore.toFixed(1)} before and ${loadavg()[0]?.toFixed(1)} after, ${minutes.toFixed(1)} min\n`,
);
if (wanted.length === 0) {
  const file = path.join(import.meta.dirname, '../docs/performance.json');
  const document = {
    command: 'npm run bench',
    at: new Date().toISOString(),
    cores: availableParallelism(),
    loadBefore,
    results,
  };
  await writeFile(file, `${JSON.stringify(document, null, 2)}\n`);
}

/** Each budget ends what it started, so that the next has the machine to itself. */
async function measure(bench: Bench, budget: Budget): Promise<Result[]> {
  const ends: (() => Promise<void>)[] = [];
  bench.say(`${budget.id}: ${budget.what}`);
  try {
    const own = { ...bench, onEnd: (end: () => Promise<void>) => void ends.push(end) };
    const measured = await budget.run(own);
    if (own.ingressRate !== undefined) bench.ingressRate = own.ingressRate;
    for (const { id, measured: figure, budget: limit, met } of measured)
      bench.say(`  ${id} ${figure}, budget ${limit}: ${met ? 'met' : 'not met'}`);
    return measured;
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

async function withBench(work: (bench: Bench) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), 'forgewatch-bench-'));
  await chmod(directory, 0o755);
  const postgres = await startEmbeddedPostgres({ directory: path.join(directory, 'postgres') });
  try {
    await work({
      directory,
      masterKey: randomBytes(32),
      say: (text) => void process.stderr.write(`${text}\n`),
      onEnd: () => {},
      createDatabase: (name) => createDatabase(postgres.url, name),
    });
  } finally {
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function createDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${pg.escapeIdentifier(name)}`);
  await client.end();
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}

function table(rows: readonly Result[]): string {
  const cells = [
    ['', 'measured', 'budget', '', 'what'],
    ...rows.map(({ id, measured, budget, met, what }) => [
      id,
      measured,
      budget,
      met ? 'met' : 'NOT MET',
      what,
    ]),
  ];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return (
    cells
      .map((row) =>
        row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd(),
      )
      .join('\n') + '\n'
  );
}
