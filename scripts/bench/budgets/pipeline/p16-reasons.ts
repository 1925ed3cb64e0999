import pg from 'pg';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { sampleRepositoryNames } from '#server/sample-data/sample-repositories.ts';
import { repository } from '#server/simulate/payload/objects.ts';
import { eventCpu, newEvents } from '../../event-cpu.ts';
import { failedLog, startLogForge, type LoggedStep } from '../../log-forge.ts';
import { inTurn, median, pick, ratioResult } from '../../results/pairs.ts';
import { startSignedIn, type SignedIn } from '../../signed-in.ts';
import { prepareTargets } from '../../targets.ts';
import type { Bench, Budget } from '../../types.ts';

const logLines = 2000;

export const p16Reasons: Budget = {
  id: 'P16 reasons',
  what: 'CPU of serve and Postgres per event with the logs of failed jobs read, against without a connection',
  run: async (bench) => {
    const size = bench.isQuick ? 2000 : 6000;
    const { databaseUrl, integrations } = await prepareTargets(bench, 'reasons', 2);
    const [connected, alone] = integrations as [CreatedIntegration, CreatedIntegration];
    const failed = new Map<number, LoggedStep[]>();
    const logOf = (jobId: number) => failedLog(logLines, failed.get(jobId) ?? []);
    const names = sampleRepositoryNames.map((name) => repository(name).full.full_name);
    const forge = await startLogForge(bench, names, logOf);
    const product = await startSignedIn(bench, 'reasons', databaseUrl, {
      part: 'serve',
      settings: { FORGE_URL: forge.url, FORGE_API_URL: forge.url },
    });
    await connect(product, connected.integrationId, forge.url, names);
    const owner = new pg.Client({ connectionString: databaseUrl });
    await owner.connect();
    bench.onEnd(() => owner.end());
    const measure = makeMeasure(bench, { product, owner, failed });
    await measure(alone, size / 4);
    await measure(connected, size / 4);
    const before = forge.read();
    const pairs = await inTurn(
      bench,
      bench.isQuick ? 3 : 7,
      () => measure(connected, size),
      () => measure(alone, size),
    );
    const cost = pick(pairs, ({ micros }) => micros);
    const share = median(pairs.map(({ product: side }) => side.failedShare));
    const micros = (side: 'product' | 'other') => median(cost.map((pair) => pair[side])).toFixed(0);
    const note =
      `${micros('product')} and ${micros('other')} µs an event, ${(share * 100).toFixed(0)} % of jobs fail, ` +
      `logs of ${Math.round(logOf(failed.keys().next().value ?? 0).length / 1024)} KiB, ${forge.read() - before} read`;
    return [ratioResult(p16Reasons, cost, { atMost: 1.05 }, { note, failedShare: share })];
  },
};

interface Measured {
  micros: number;
  failedShare: number;
}

async function connect({ url, browser }: SignedIn, integrationId: string, forgeUrl: string, names: string[]) {
  const put = async (path: string, body: object): Promise<void> => {
    const answer = await browser.fetch(`${url}/api/integrations/${integrationId}/forge-connection${path}`, {
      method: 'PUT',
      headers: { origin: url, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  };
  await put('', { forge: 'github', url: forgeUrl, token: 'bench' });
  await put('/repositories', { repositories: names });
}

interface Measuring {
  product: SignedIn;
  owner: pg.Client;
  /** The steps of failed jobs by their ids. */
  failed: Map<number, LoggedStep[]>;
}

/** Sends new events, waits until they and their reasons are stored, and returns the CPU of one event. */
function makeMeasure(bench: Bench, { product, owner, failed }: Measuring) {
  const isDone = async () => (await owner.query('select from pending_failures limit 1')).rows.length === 0;
  return async (target: CreatedIntegration, count: number): Promise<Measured> => {
    const events = newEvents('reasons', count);
    const completed = events.flatMap(({ eventType, payload }) =>
      eventType === 'workflow_job' && payload.workflow_job.status === 'completed'
        ? [payload.workflow_job]
        : [],
    );
    failed.clear();
    for (const { id, conclusion, steps } of completed)
      if (conclusion === 'failure' || conclusion === 'timed_out')
        failed.set(
          id,
          steps.map((step) => ({ ...step, startedAt: step.started_at })),
        );
    const failedShare = failed.size / completed.length;
    return { micros: (await eventCpu(bench, product, target, events, isDone)) / count, failedShare };
  };
}
