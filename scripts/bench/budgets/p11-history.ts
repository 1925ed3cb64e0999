import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { openHistory, p95InTurn, type OpenHistory } from '../history/history-product.ts';
import { median, ratioResult, spread, type Pair } from '../pairs.ts';
import type { Bench, Budget, Result } from '../types.ts';

const smallRuns = 50_000;
const rounds = 5;
const requestsEach = 100;

const p11Row = {
  id: 'P11',
  what: 'slowest-growing monitoring route, p95 with a long history, against 50,000 runs',
};
const lookupRow = { id: 'P11 lookup', what: 'slowest monitoring route, p95, against a look-up by key' };
const changedRow = {
  id: 'P11 changed',
  what: 'slowest-growing dashboard, p95, when something was stored before each request, against 50,000 runs',
};
const changedLookupRow = {
  id: 'P11 changed lookup',
  what: 'slowest dashboard, p95, when something was stored before each request, against a look-up by key',
};

/** Loading a long history would take most of the time of a full run. */
export const p11: Budget = {
  id: 'P11',
  what: 'each monitoring route with a long history, against 50,000 runs',
  isOnlyByName: true,
  run: async (bench) => {
    const large = await openHistory(bench, bench.historyRuns);
    const small = await openHistory(bench, bench.isQuick ? 5_000 : smallRuns);
    const histories = { large, small };
    const measured: Measured[] = [];
    const scansBefore = await countScans(large.owner);
    for (const route of [...listsToMeasure(), ...dashboardsToMeasure()])
      measured.push(await measureRoute(bench, route, histories));
    bench.say('  the dashboards again, after an event each time');
    const changed: Measured[] = [];
    const change = () => Promise.all([large.change(), small.change()]);
    for (const route of dashboardsToMeasure())
      changed.push(await measureRoute(bench, route, histories, change));
    return [
      worst(p11Row, measured, 'pairs', 1.3, large.runs),
      worst(lookupRow, measured, 'lookups', 25, large.runs),
      worst(changedRow, changed, 'pairs', 1.3, large.runs),
      worst(changedLookupRow, changed, 'lookups', 25, large.runs),
      scansResult(scansBefore, await countScans(large.owner)),
    ];
  },
};

interface Measured {
  route: string;
  /** The p95 in milliseconds. */
  pairs: Pair<number>[];
  lookups: Pair<number>[];
}

async function measureRoute(
  bench: Bench,
  route: string,
  { large, small }: { large: OpenHistory; small: OpenHistory },
  before?: () => Promise<unknown>,
): Promise<Measured> {
  const works = [() => large.read(route), () => small.read(route), () => large.lookUp()];
  await p95InTurn(5, works, before);
  const found: Measured = { route, pairs: [], lookups: [] };
  for (let round = 0; round < rounds; round += 1) {
    const [product = 0, other = 0, lookup = 0] = await p95InTurn(requestsEach, works, before);
    found.pairs.push({ product, other });
    found.lookups.push({ product, other: lookup });
  }
  const ms = (side: 'product' | 'other') => median(found.pairs.map((pair) => pair[side])).toFixed(1);
  bench.say(`  ${route} ${ms('product')} ms : ${ms('other')} ms, ratio ${spread(ratios(found.pairs))}`);
  return found;
}

/** A full scan of a smaller table is fine. */
const bigTableBytes = 16 * 2 ** 20;

/** Sequential scans of each big table so far, from the statistics of Postgres. */
async function countScans(owner: pg.Client): Promise<Map<string, number>> {
  // A session reports its statistics after it has been idle for a while.
  await setTimeout(11_000);
  const { rows } = await owner.query<{ relname: string; scans: number }>(
    `select relname, seq_scan::float8 as scans from pg_stat_user_tables
     where schemaname = 'public' and pg_table_size(relid) > ${bigTableBytes}`,
  );
  return new Map(rows.map(({ relname, scans }) => [relname, scans]));
}

function scansResult(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): Result {
  const scanned = [...after].filter(([table, scans]) => scans > (before.get(table) ?? 0));
  return {
    id: 'P11 plans',
    what: `sequential scans of big tables (${[...after.keys()].toSorted().join(', ')}) while all routes were read`,
    measured:
      scanned.map(([table, scans]) => `${table} ${scans - (before.get(table) ?? 0)}`).join(', ') || 'none',
    budget: 'none',
    met: scanned.length === 0,
    figures: { scans: scanned.reduce((sum, [table, scans]) => sum + scans - (before.get(table) ?? 0), 0) },
  };
}

function listsToMeasure(): string[] {
  const repository = 'repository=acme/repository-1';
  return [
    ...[
      '',
      repository,
      `${repository}&workflow=Workflow 1`,
      'branch=main',
      'status=completed',
      'status=queued',
    ]
      .concat(['conclusion=failure', 'actor=person-1', 'event=push', 'q=number 77', 'pullRequest=7'])
      .concat([`from=${quarterAgo()}`])
      .map((query) => `workflows?${query}`),
    'workflows/facets?branch=main',
    'workflows/RUN',
    'event-log',
    'deliveries',
  ];
}

function dashboardsToMeasure(): string[] {
  return [
    ...['24h', '7d', '30d', '90d'].map((range) => `overview?range=${range}`),
    'metrics?granularity=hour',
    'what-changed',
    `what-changed?from=${monthAgo()}`,
    'health',
    'queue',
    `health?from=${quarterAgo()}`,
    ...['', '&groupBy=repository', '&groupBy=workflow', '&groupBy=branch', '&groupBy=runner'].map(
      (group) => `metrics?granularity=day&from=${quarterAgo()}${group}`,
    ),
  ];
}

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
const quarterAgo = (): string => daysAgo(89);
const monthAgo = (): string => daysAgo(29);

function ratios(pairs: readonly Pair<number>[]): number[] {
  return pairs.map(({ product, other }) => product / other);
}

/** The route with the highest median ratio. */
function worst(
  row: { id: string; what: string },
  measured: readonly Measured[],
  kind: 'pairs' | 'lookups',
  atMost: number,
  runs: number,
): Result {
  const sorted = measured.toSorted((a, b) => median(ratios(b[kind])) - median(ratios(a[kind])));
  const [first] = sorted;
  if (first === undefined) throw new Error('nothing was measured');
  const short = (route: string) => route.replace(/from=[^&]*/, 'from=…');
  const missed = measured.filter((each) => median(ratios(each[kind])) > atMost).length;
  const note = `${short(first.route)}; ${missed} of ${measured.length} routes miss; ${runs / 1e6} M runs`;
  const byRoute = Object.fromEntries(measured.map((each) => [short(each.route), median(ratios(each[kind]))]));
  return ratioResult(row, first[kind], { atMost }, { note, runs, ...byRoute });
}
