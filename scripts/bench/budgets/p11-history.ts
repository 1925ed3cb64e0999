import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { openHistory, p95InTurn } from '../history.ts';
import { median, ratioResult, spread, type Pair } from '../pairs.ts';
import type { Budget, Result } from '../types.ts';
import { dashboardResult } from './p12-dashboards.ts';

const smallRuns = 50_000;
const rounds = 5;
const requestsEach = 40;

const p11Row = {
  id: 'P11',
  what: 'slowest-growing monitoring route, p95 with a long history, against 50,000 runs',
};
const lookupRow = { id: 'P11 lookup', what: 'slowest monitoring route, p95, against a look-up by key' };

/** Both budgets that need a long history, since loading one takes longest; in a full run they would be most of it. */
export const p11: Budget = {
  id: 'P11',
  what: 'each monitoring route with a long history, against 50,000 runs; and P12 on the same history',
  isOnlyByName: true,
  run: async (bench) => {
    const large = await openHistory(bench, bench.historyRuns);
    const small = await openHistory(bench, bench.isQuick ? 5_000 : smallRuns);
    const routes = routesToMeasure();
    const measured: { route: string; pairs: Pair<number>[]; lookups: Pair<number>[] }[] = [];
    const scansBefore = await countScans(large.owner);
    for (const route of routes) {
      const works = [() => large.read(route), () => small.read(route), () => large.lookUp()];
      await p95InTurn(5, works);
      const found = { route, pairs: [] as Pair<number>[], lookups: [] as Pair<number>[] };
      for (let round = 0; round < rounds; round += 1) {
        const [product = 0, other = 0, lookup = 0] = await p95InTurn(requestsEach, works);
        found.pairs.push({ product, other });
        found.lookups.push({ product, other: lookup });
      }
      const ms = (side: 'product' | 'other') => median(found.pairs.map((pair) => pair[side])).toFixed(1);
      bench.say(`  ${route} ${ms('product')} ms : ${ms('other')} ms, ratio ${spread(ratios(found.pairs))}`);
      measured.push(found);
    }
    return [
      worst(p11Row, measured, 'pairs', 1.3, large.runs),
      worst(lookupRow, measured, 'lookups', 20, large.runs),
      scansResult(scansBefore, await countScans(large.owner)),
      await dashboardResult(bench, large),
    ];
  },
};

/** Smaller tables are read in full for good reason. */
const bigTableBytes = 16 * 2 ** 20;

/** Sequential scans of each big table so far, as Postgres counted them: of the plans that ran, at their full size. */
async function countScans(owner: pg.Client): Promise<Map<string, number>> {
  // A session reports what it did when it has been idle for a while.
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

function routesToMeasure(): string[] {
  const from = new Date(Date.now() - 89 * 86_400_000).toISOString();
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
      .concat([`from=${from}`])
      .map((query) => `workflows?${query}`),
    'workflows/facets?branch=main',
    'workflows/RUN',
    ...['24h', '7d', '30d', '90d'].map((range) => `overview?range=${range}`),
    'metrics?granularity=hour',
    ...['', '&groupBy=repository', '&groupBy=workflow', '&groupBy=branch', '&groupBy=runner'].map(
      (group) => `metrics?granularity=day&from=${from}${group}`,
    ),
    'event-log',
    'deliveries',
  ];
}

function ratios(pairs: readonly Pair<number>[]): number[] {
  return pairs.map(({ product, other }) => product / other);
}

/** The route whose median ratio is highest. */
function worst(
  row: { id: string; what: string },
  measured: readonly { route: string; pairs: Pair<number>[]; lookups: Pair<number>[] }[],
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
