import type { Config } from '#platform/runtime/settings/config.ts';
import { makeLog, type Log } from '#platform/runtime/log.ts';
import { startProgram, type ProcessRole } from '../main.ts';
import type { Command } from './command.ts';

export function serviceCommands(config: () => Config, parentEnd: AbortSignal): Command[] {
  const command = (name: string, summary: string, roles: readonly ProcessRole[]): Command => ({
    name,
    summary,
    options: {},
    run: async () => runUntilSignal(config(), roles, parentEnd),
  });
  return [
    command('serve', 'run everything in one process', ['api', 'worker']),
    command('api', 'run the HTTP and WebSocket half', ['api']),
    command('worker', 'run the half that processes the queue', ['worker']),
  ];
}

/**
 * One Ctrl-C arrives more than once: from the terminal, and passed on by npm or by an older Node that handed over to this
 * one. Only what comes later is meant as a second one.
 */
const sameSignalMs = 1_000;

/**
 * Runs until SIGTERM, SIGINT or the end of its parent, then drains: nothing new is accepted, what is in hand is finished.
 * A second signal ends the process at once.
 */
async function runUntilSignal(
  config: Config,
  roles: readonly ProcessRole[],
  parentEnd: AbortSignal,
): Promise<number> {
  const log = makeLog(config);
  // Heard from now on: who is stopped while starting stops what was started, the packaged Postgres included.
  const signalled = firstSignal(log, parentEnd);
  const program = await startProgram(config, log, roles);
  process.stdout.write(`${program.readyLine}\n`);
  if (program.hint !== undefined) process.stderr.write(program.hint);
  const signal = await signalled;
  // Somebody at a terminal sent SIGINT, and waits.
  await program.stop({ givesNotice: signal !== 'SIGINT' });
  return 0;
}

/** Resolves with its name; without one when the parent ended. */
function firstSignal(log: Log, parentEnd: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const drain = (reason: { signal?: string; parent?: string }): void => {
      firstAt = performance.now();
      log.info(reason, 'draining; a second signal ends the process at once');
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
