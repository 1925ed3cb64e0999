import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { sampleRepositoryNames } from '#server/sample-data/sample-repositories.ts';
import type { SimulatedEvent } from '#server/simulate/event.ts';
import { repository } from '#server/simulate/payload/objects.ts';
import { allCpu, eventStream, type SentEvents } from '../event-cpu.ts';
import { inTurn, median, ratioResult } from '../pairs.ts';
import { startSignedIn, type SignedIn } from '../signed-in.ts';
import { prepareTargets } from '../targets.ts';
import type { Bench, Budget } from '../types.ts';

interface LogForge {
  url: string;
  /** Logs that were read. */
  read(): number;
}

/** A forge on loopback that has logs of jobs. It runs in this process, whose CPU is not measured. */
async function startLogForge(
  bench: Bench,
  repositories: readonly string[],
  logOf: (jobId: number) => Buffer,
): Promise<LogForge> {
  let read = 0;
  const listed = repositories.map((full_name) => ({
    full_name,
    default_branch: 'main',
    archived: false,
    disabled: false,
    permissions: { admin: true },
  }));
  const server = createServer(({ method, url = '' }, response) => {
    const json = (body: unknown) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (url.startsWith('/stored-logs/')) {
      read += 1;
      const log = logOf(Number(url.split('/').at(-1)));
      return void response.writeHead(200, { 'content-length': log.length }).end(log);
    }
    const jobId = /\/jobs\/(\d+)\/logs$/.exec(url)?.[1];
    if (jobId !== undefined) return void response.writeHead(302, { location: `/stored-logs/${jobId}` }).end();
    if (method === 'POST') return json({ id: 1 });
    if (url.includes('/annotations') || url.includes('/pulls') || url.includes('/hooks')) return json([]);
    if (url.includes('/user/repos')) return json(listed);
    if (url.endsWith('/user')) return json({ login: 'bench' });
    return json({ total_count: 0, workflow_runs: [], jobs: [] });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  bench.onEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, read: () => read };
}

interface LoggedStep {
  name: string;
  startedAt: string;
  conclusion: string | null;
}

/** Lines of a step that only prepares the job, or cleans up. */
const linesOfOthers = 20;

/**
 * The log of a job, with times, groups and colours as GitHub stores them. The step that failed prints `lines` lines of tests. The
 * times are those of the steps: without them the product would search the step by its groups instead, in a second pass.
 */
function failedLog(lines: number, steps: readonly LoggedStep[]): Buffer {
  const log = steps.flatMap(({ name, startedAt, conclusion }) => {
    if (conclusion === 'skipped') return [];
    const time = new Date(startedAt).toISOString().replace('Z', '0000Z');
    const hasFailed = conclusion !== 'success';
    const said = Array.from(
      { length: hasFailed ? lines : linesOfOthers },
      (_, index) =>
        `\u001B[32m✓\u001B[39m src/module-${index % 97}.test.ts > case ${index} keeps the order of its items`,
    );
    const end = hasFailed
      ? [
          'AssertionError: expected 3 to be 4 // Object.is equality',
          '##[error]Process completed with exit code 1.',
        ]
      : [];
    const title = name.replace(/^Run /, '');
    return [`##[group]Run ${title}`, title, '##[endgroup]', ...said, ...end].map((line) => `${time} ${line}`);
  });
  return Buffer.from(`${log.join('\n')}\n`);
}

const perSecond = 50;

export const p16Reasons: Budget = {
  id: 'P16 reasons',
  what: `CPU of serve and Postgres per event at ${perSecond}/s with the logs of failed jobs read, against without a connection`,
  run: async (bench) => {
    const [size, count] = bench.isQuick ? [500, 3] : [2100, 5];
    const { connected, alone, ...reasons } = await startReasons(bench);
    const next = eventStream('reasons');
    const cpu = (target: CreatedIntegration, events: readonly SimulatedEvent[], pace: object) =>
      allCpu(bench, reasons.product, { ...reasons.sent(target, events), ...pace });
    // At full speed: most of what the first thousands of events cost is the compiler.
    const first = next(5000);
    for (const target of [alone, connected]) await cpu(target, first, {});
    // Both sides of a pair store the same events: two random sets differ by more than the logs cost.
    let events: SimulatedEvent[] = [];
    const failedShares: number[] = [];
    const readBefore = reasons.read();
    const pairs = await inTurn(
      bench,
      count,
      async () => {
        events = next(size);
        const micros = await cpu(connected, events, { perSecond });
        failedShares.push(reasons.failedShare());
        return micros / events.length;
      },
      async () => (await cpu(alone, events, { perSecond })) / events.length,
    );
    const micros = (side: 'product' | 'other') => median(pairs.map((pair) => pair[side])).toFixed(0);
    const failedShare = median(failedShares);
    const note =
      `${micros('product')} and ${micros('other')} µs an event, ${(failedShare * 100).toFixed(0)} % of jobs fail, ` +
      `logs of ${reasons.logKiB()} KiB, ${reasons.read() - readBefore} read`;
    return [ratioResult(p16Reasons, pairs, { atMost: 1.05 }, { note, failedShare })];
  },
};

const logLines = 2000;

/** `serve` with two integrations, and a forge on loopback that has the logs of failed jobs. */
interface Reasons {
  product: SignedIn;
  /** Its reasons come from logs. */
  connected: CreatedIntegration;
  /** Its reasons come from steps. */
  alone: CreatedIntegration;
  /** Events that are done when their reasons are stored. */
  sent(target: CreatedIntegration, events: readonly SimulatedEvent[]): SentEvents;
  /** Share of completed jobs that failed in the events that were sent last. */
  failedShare(): number;
  logKiB(): number;
  /** Logs that were read. */
  read(): number;
}

async function startReasons(bench: Bench): Promise<Reasons> {
  const { databaseUrl, integrations } = await prepareTargets(bench, 'reasons', 2);
  const [connected, alone] = integrations as [CreatedIntegration, CreatedIntegration];
  let completed = 0;
  /** The steps of failed jobs by their ids. */
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
  const isDone = async () => (await owner.query('select from pending_failures limit 1')).rows.length === 0;
  return {
    product,
    connected,
    alone,
    sent: (target, events) => {
      const jobs = completedJobs(events);
      completed = jobs.length;
      failed.clear();
      for (const { id, conclusion, steps } of jobs)
        if (conclusion === 'failure' || conclusion === 'timed_out')
          failed.set(
            id,
            steps.map((step) => ({ ...step, startedAt: step.started_at })),
          );
      return { target, events, isDone };
    },
    failedShare: () => failed.size / completed,
    logKiB: () => Math.round(logOf(failed.keys().next().value ?? 0).length / 1024),
    read: forge.read,
  };
}

function completedJobs(events: readonly SimulatedEvent[]) {
  return events.flatMap(({ eventType, payload }) =>
    eventType === 'workflow_job' && payload.workflow_job.status === 'completed' ? [payload.workflow_job] : [],
  );
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
