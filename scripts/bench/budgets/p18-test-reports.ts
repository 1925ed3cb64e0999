import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseReport } from '#server/test-results/parsing/parse-report.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { cpuMicros } from '../cpu.ts';
import { root } from '../children.ts';
import { inTurn, median, ratioResult } from '../pairs.ts';
import { startSignedIn, type SignedIn } from '../signed-in.ts';
import { prepareTargets } from '../targets.ts';
import type { Budget } from '../types.ts';

const longestMs = 50;

export const p18: Budget = {
  id: 'P18',
  what: 'CPU of serve and Postgres for a test report of 100,000 cases, upload to stored, against the parser alone',
  run: async (bench) => {
    const cases = bench.isQuick ? 20_000 : 100_000;
    const { databaseUrl, integrations } = await prepareTargets(bench, 'reports', 1);
    const [target] = integrations as [CreatedIntegration];
    const delayFile = path.join(bench.directory, 'report-delays.json');
    const product = await startSignedIn(bench, 'reports', databaseUrl, {
      part: 'serve',
      settings: { BENCH_DELAY_FILE: delayFile },
      nodeArgs: ['--import', path.join(root, 'scripts/bench/programs/loop-delay.ts')],
    });
    const longestDelay = async (): Promise<number> => {
      await rm(delayFile, { force: true });
      process.kill(product.pid, 'SIGUSR2');
      const read = () => readFile(delayFile, 'utf8').catch(() => '');
      await waitUntil('the delays', async () => (await read()).endsWith('}'));
      return (JSON.parse(await read()) as { longest: number }).longest;
    };
    const token = await newToken(product, target.integrationId);
    const run = await startRun(product, target);
    const cpu = () => cpuMicros(product.pid) + cpuMicros(bench.postgresPid());
    let made = 0;
    const store = async (): Promise<number> => {
      const report = reportOf(cases, (made += 1));
      const before = cpu();
      await upload(product, { token, run, integrationId: target.integrationId }, report);
      return cpu() - before;
    };
    const parse = async (): Promise<number> => {
      const report = reportOf(cases, made);
      const before = process.cpuUsage();
      if (parseReport(report).cases.length !== cases) throw new Error('a case is missing');
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    await Promise.all([parse(), store()]);
    await Promise.all([parse(), store()]);
    const delays: number[] = [];
    await longestDelay();
    const pairs = await inTurn(
      bench,
      bench.isQuick ? 3 : 7,
      async () => {
        const micros = await store();
        delays.push(await longestDelay());
        return micros;
      },
      parse,
    );
    const ms = (side: 'product' | 'other') => (median(pairs.map((pair) => pair[side])) / 1000).toFixed(0);
    const ratio = ratioResult(
      p18,
      pairs,
      { atMost: 2.5 },
      { note: `${ms('product')} and ${ms('other')} ms` },
    );
    return [ratio, stopOf(delays, cases)];
  },
};

function stopOf(delays: readonly number[], cases: number) {
  const longest = Math.max(...delays);
  return {
    id: p18.id,
    what: 'longest stop of the event loop of serve during these uploads',
    measured: `${longest.toFixed(0)} ms`,
    budget: `≤ ${longestMs} ms`,
    met: longest <= longestMs,
    figures: { longest, cases },
  };
}

/** A suite of 15 MB for 100,000 cases, in which 20 tests fail. */
function reportOf(cases: number, seed: number): Buffer {
  const lines = Array.from({ length: cases }, (_, n) => {
    const names = `classname="com.acme.shop.module${n % 400}.CartTest" name="keeps the price of item ${n} when the currency changes"`;
    const time = `time="${((n * 7 + seed) % 1000) / 1000}"`;
    if (n % (cases / 20) !== seed % 10) return `<testcase ${names} ${time}/>`;
    return `<testcase ${names} ${time}><failure message="expected ${n} to equal ${seed}">at cart.ts:${n}</failure></testcase>`;
  });
  return Buffer.from(`<testsuite name="shop">\n${lines.join('\n')}\n</testsuite>`);
}

async function newToken({ url, browser }: SignedIn, integrationId: string): Promise<string> {
  const answer = await browser.fetch(`${url}/api/integrations/${integrationId}/tokens`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Bench', role: 'reports' }),
  });
  if (!answer.ok) throw new Error(`the token was answered with ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { token: string }).token;
}

/** Returns the id of a stored run. */
async function startRun({ url, browser }: SignedIn, target: CreatedIntegration): Promise<number> {
  const payload = runPayload({ id: 7001, status: 'in_progress', head_branch: 'main' });
  const { ok, status } = await postWebhook(url, target, { event: 'workflow_run', payload });
  if (!ok) throw new Error(`a webhook was answered with ${status}`);
  const address = `${url}/api/integrations/${target.integrationId}/workflows/7001`;
  await waitUntil('the run', async () => (await browser.fetch(address)).ok);
  return 7001;
}

async function upload(
  { url }: SignedIn,
  { token, run, integrationId }: { token: string; run: number; integrationId: string },
  body: Buffer,
): Promise<void> {
  const response = await fetch(`${url}/api/integrations/${integrationId}/test-reports?run=${run}&job=unit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/xml' },
    body: new Uint8Array(body),
  });
  const answer = await response.text();
  if (response.status !== 201) throw new Error(`a report was answered with ${response.status}: ${answer}`);
}
