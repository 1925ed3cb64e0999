import pg from 'pg';
import { cpuMicros } from '../../cpu.ts';
import { inTurn, median, ratioResult } from '../../results/pairs.ts';
import { startSignedIn } from '../../signed-in.ts';
import { prepareTargets } from '../../targets.ts';
import type { Budget, Result } from '../../types.ts';

const requests = 40;
/** Failures of one group, in an integration that has at least a page of groups. */
const failuresOfGroup = 200;
const pageOfGroups = 50;

export const p16Groups: Budget = {
  id: 'P16 groups',
  what: 'CPU of the pages of failures and of a group with a million failures, against a thousand',
  run: async (bench) => {
    const [few, many] = [1000, bench.isQuick ? 50_000 : 1_000_000];
    const { databaseUrl, integrations } = await prepareTargets(bench, 'groups', 2);
    const [small, large] = integrations.map(({ integrationId }) => integrationId) as [string, string];
    const owner = new pg.Client({ connectionString: databaseUrl });
    await owner.connect();
    bench.onEnd(() => owner.end());
    await insertFailures(owner, small, few);
    await insertFailures(owner, large, many);
    await owner.query('vacuum analyze failure_reasons, failure_groups');
    const { url, pid, browser } = await startSignedIn(bench, 'groups', databaseUrl);
    const costOf = async (integrationId: string, path: string): Promise<number> => {
      const before = cpuMicros(pid) + cpuMicros(bench.postgresPid());
      for (let index = 0; index < requests; index += 1) {
        const answer = await browser.fetch(`${url}/api/integrations/${integrationId}/${path}`);
        const body = await answer.text();
        if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${body}`);
      }
      return (cpuMicros(pid) + cpuMicros(bench.postgresPid()) - before) / requests;
    };
    const results: Result[] = [];
    for (const [row, what, pathOf] of [
      [
        'P16 groups',
        p16Groups.what.replace('the pages of failures and of a group', 'the page of failures'),
        () => 'failure-groups',
      ],
      [
        'P16 groups detail',
        'CPU of the page of a group, the same',
        (id: string) => `failure-groups/${groupId(id, 1)}`,
      ],
    ] as const) {
      await costOf(small, pathOf(small));
      await costOf(large, pathOf(large));
      const pairs = await inTurn(
        bench,
        bench.isQuick ? 3 : 7,
        () => costOf(large, pathOf(large)),
        () => costOf(small, pathOf(small)),
      );
      const micros = (side: 'product' | 'other') =>
        (median(pairs.map((pair) => pair[side])) / 1000).toFixed(1);
      const note = `${micros('product')} and ${micros('other')} ms, ${many.toLocaleString('en')} failures`;
      results.push(ratioResult({ id: row, what }, pairs, { atMost: 1.3 }, { note, failures: many }));
    }
    return results;
  },
};

function groupId(integrationId: string, number: number): string {
  return `${integrationId.slice(0, 24)}${String(number).padStart(12, '0')}`;
}

/** Failures of jobs in groups of equal size, spread over 90 days, with the rollups that the product keeps of them. */
async function insertFailures(owner: pg.Client, integrationId: string, failures: number): Promise<void> {
  const values = [integrationId, failures, Math.max(pageOfGroups, failures / failuresOfGroup)];
  const group = `(left($1::text, 24) || lpad((n % $3::int)::text, 12, '0'))::uuid`;
  const failedAt = `date_trunc('hour', now()) - (n * 90.0 / $2::int) * interval '1 day'`;
  await owner.query(
    `insert into failure_reasons (integration_id, run_id, attempt, job_id, failure_group_id, repository, branch, on_default_branch,
       job, step, step_number, error_line, without_log, failed_at)
     select $1::uuid, n, 1, n, ${group}, 'acme/site', case when n % 3 = 0 then 'main' else 'topic-' || n % 50 end, n % 3 = 0,
       'build', 'Run tests', 2, 'expected ' || n % $3::int || ' to be 4', 'no_connection', ${failedAt}
     from generate_series(1, $2::int) n`,
    values,
  );
  await owner.query(
    `insert into failure_groups (integration_id, failure_group_id, repository, workflow, job, step, error_line, failures, first_seen_at,
       last_seen_at, branches, trend)
     select integration_id, failure_group_id, 'acme/site', 'CI', 'build', 'Run tests', min(error_line), count(*), min(failed_at),
       max(failed_at), (array_agg(distinct branch))[1:5], array_fill(1, array[14]) from failure_reasons where integration_id = $1 group by 1, 2`,
    [integrationId],
  );
}
