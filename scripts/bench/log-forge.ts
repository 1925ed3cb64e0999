import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bench } from './types.ts';

export interface LogForge {
  url: string;
  /** Logs that were read. */
  read(): number;
}

/** A forge on loopback that has logs of jobs. It runs in this process, whose CPU is not measured. */
export async function startLogForge(
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

export interface LoggedStep {
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
export function failedLog(lines: number, steps: readonly LoggedStep[]): Buffer {
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
