import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import type { WorkflowRun } from '#contract/runs/runs.ts';

/**
 * Runs the commands of a program that holds sockets: `send` (one update of 2 KB to all sockets), `cpu` (microseconds used so far).
 */
export async function serveSocketCommands(
  server: Server,
  token: string,
  send: (update: WorkflowRun, seq: number) => void,
): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.stdout.write(`ready ${(server.address() as AddressInfo).port} ${token}\n`);
  let seq = 0;
  for await (const command of createInterface({ input: process.stdin })) {
    if (command === 'send') send(update((seq += 1)), seq);
    process.stdout.write(`${cpu()}\n`);
  }
  process.exit(0);
}

function update(runId: number): WorkflowRun {
  return { runId, title: 'x'.repeat(1800) } as WorkflowRun;
}

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
