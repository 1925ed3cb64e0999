import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bench } from './types.ts';

export interface LogForge {
  url: string;
  /** Logs that were read. */
  read(): number;
}

/** A forge on loopback whose every job has the same failed log. It runs in this process, whose CPU is not measured. */
export async function startLogForge(
  bench: Bench,
  repositories: readonly string[],
  log: Buffer,
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
      return void response.writeHead(200, { 'content-length': log.length }).end(log);
    }
    if (url.endsWith('/logs')) return void response.writeHead(302, { location: '/stored-logs/1' }).end();
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

/** The log of a job whose tests failed, with times, groups and colours as GitHub stores them. */
export function failedLog(lines: number): Buffer {
  const time = new Date().toISOString().replace('Z', '0000Z');
  const said = Array.from(
    { length: lines },
    (_, index) =>
      `${time} \u001B[32m✓\u001B[39m src/module-${index % 97}.test.ts > case ${index} keeps the order of its items`,
  );
  const group = [`${time} ##[group]Run npm test`, `${time} npm test`, `${time} ##[endgroup]`];
  const end = [
    `${time} AssertionError: expected 3 to be 4 // Object.is equality`,
    `${time} ##[error]Process completed with exit code 1.`,
  ];
  return Buffer.from(`${[...group, ...said, ...end].join('\n')}\n`);
}
