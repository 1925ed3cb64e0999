import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { startNode } from '../../children.ts';
import { cpuMicros } from '../../cpu.ts';
import { inTurn, median, ratioResult } from '../../results/pairs.ts';
import { productEnv } from '../../product.ts';
import { startSignedIn } from '../../signed-in.ts';
import { prepareTargets } from '../../targets.ts';
import type { Budget } from '../../types.ts';

const connections = 16;
const windowMs = 2_000;

export const p10: Budget = {
  id: 'P10',
  what: 'authenticated GET /api/user per second of CPU, against the same route without the chain',
  run: async (bench) => {
    const { databaseUrl } = await prepareTargets(bench, 'session', 3);
    const { url, pid, browser } = await startSignedIn(bench, 'session', databaseUrl);
    const cookie = [...browser.cookies].map(([key, { value }]) => `${key.split(' ')[1]}=${value}`).join('; ');
    const user = (await (await browser.fetch(`${url}/api/user`)).json()) as { userId: string };
    const env = productEnv(bench, 'session-data', databaseUrl);
    const bare = await startNode(bench, 'scripts/bench/programs/user-route.ts', [user.userId], { env });
    const product = () => perCpuSecond(`${url}/api/user`, pid, { cookie });
    const other = () => perCpuSecond(`http://127.0.0.1:${bare.ready}/api/user`, bare.pid, {});
    await product();
    await other();
    const pairs = await inTurn(bench, bench.isQuick ? 5 : 7, product, other);
    const perSecond = median(pairs.map((pair) => pair.product)).toFixed(0);
    return [ratioResult(p10, pairs, { atLeast: 0.55 }, { note: `${perSecond}/s of CPU` })];
  },
};

/** Responses per second of the server process's CPU time. The CPU time of Postgres is the same for both sides. */
async function perCpuSecond(url: string, pid: number, headers: Record<string, string>): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const before = cpuMicros(pid);
  const endAt = performance.now() + windowMs;
  let answered = 0;
  const ask = async (): Promise<void> => {
    while (performance.now() < endAt) {
      await get(url, { agent, headers });
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, ask));
  agent.destroy();
  return (answered * 1e6) / (cpuMicros(pid) - before);
}

async function get(url: string, options: { agent: Agent; headers: Record<string, string> }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  request(url, options, (response) => {
    text(response).then((body) => {
      if (response.statusCode === 200) resolve();
      else reject(new Error(`${url} answered ${response.statusCode}: ${body}`));
    }, reject);
  })
    .on('error', reject)
    .end();
  return promise;
}
