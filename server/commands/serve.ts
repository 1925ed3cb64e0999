import { collectGarbage, tuneHeap } from '#platform/runtime/heap.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import { nearMisses } from '#platform/runtime/settings/near-misses.ts';
import { makeLog, type Log } from '#platform/runtime/log.ts';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { startProgram } from '../main.ts';
import type { ProcessRole } from '#server/role-deps.ts';
import type { Command } from './command.ts';

export function serviceCommands(config: () => Config, parentEnd: AbortSignal): Command[] {
  const command = (name: string, summary: string, roles: readonly ProcessRole[]): Command => ({
    name,
    summary,
    options: {},
    run: async () => {
      // Chosen before the settings are used, because the default of PUBLIC_URL follows PORT.
      if (config().port === 0) process.env['PORT'] = String(await freePort());
      return runUntilSignal(config(), roles, parentEnd);
    },
  });
  return [
    command('serve', 'run both roles in one process', ['api', 'worker']),
    command('api', 'run the api role: HTTP and WebSockets', ['api']),
    command('worker', 'run the worker role: process the queue', ['worker']),
  ];
}

/**
 * One Ctrl-C can arrive several times: from the terminal, and forwarded by npm or the launcher. Only a later signal counts
 * as the second one.
 */
const sameSignalMs = 1_000;

/**
 * Runs until SIGTERM, SIGINT or the end of the parent process, then drains: finishes current work and accepts no new
 * work. A second signal ends the process immediately.
 */
async function runUntilSignal(
  config: Config,
  roles: readonly ProcessRole[],
  parentEnd: AbortSignal,
): Promise<number> {
  const log = makeLog(config);
  for (const { given, meant } of nearMisses(process.env))
    log.warn({ given, meant }, 'variable ignored: it is no setting, but its name resembles one');
  // Listens already during the start, so that a signal also stops the services started so far, including Postgres.
  const signalled = firstSignal(log, parentEnd);
  const { promise: started, resolve: onStarted } = Promise.withResolvers<void>();
  void endHangingStart(signalled, started);
  const program = await startProgram(config, log, roles).finally(onStarted);
  tuneHeap();
  await collectGarbage();
  process.stdout.write(`${program.readyLine}\n`);
  if (program.hint !== undefined) process.stderr.write(program.hint);
  const signal = await signalled;
  // SIGINT comes from a person at a terminal, who waits.
  await program.stop({ givesNotice: signal !== 'SIGINT' });
  return 0;
}

/** Longer than the start of a database that recovers. */
const longestStartMs = 60_000;

/** A start that never ends, for example because a disk does not answer, must not outlive the signal. */
async function endHangingStart(signalled: Promise<unknown>, started: Promise<void>): Promise<void> {
  await signalled;
  const timer = setTimeout(() => process.exit(1), longestStartMs);
  await started;
  clearTimeout(timer);
}

/** Resolves with the signal, or undefined when the parent ended. */
function firstSignal(log: Log, parentEnd: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const drain = (reason: { signal?: string; parent?: string }): void => {
      firstAt = performance.now();
      log.info(reason, 'draining; a second signal ends the process immediately');
      resolve(reason.signal);
    };
    const onSignal = (signal: string): void => {
      if (firstAt === undefined) drain({ signal });
      else if (performance.now() - firstAt > sameSignalMs) process.exit(1);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
    parentEnd.addEventListener('abort', () => {
      if (firstAt === undefined) drain({ parent: 'ended' });
    });
  });
}
