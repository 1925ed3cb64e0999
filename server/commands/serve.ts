import type { Config } from '#platform/runtime/config.ts';
import { makeLog } from '#platform/runtime/log.ts';
import { startProgram, type Part } from '../main.ts';
import type { Command } from './command.ts';

export function serviceCommands(config: () => Config): Command[] {
  const command = (name: string, summary: string, parts: readonly Part[]): Command => ({
    name,
    summary,
    options: {},
    run: async () => runUntilSignal(config(), parts),
  });
  return [
    command('serve', 'run everything in one process', ['api', 'worker']),
    command('api', 'run the HTTP and WebSocket half', ['api']),
    command('worker', 'run the half that processes the queue', ['worker']),
  ];
}

/**
 * Runs until SIGTERM or SIGINT, then drains: nothing new is accepted, what is in hand is finished. A second signal ends
 * the process at once.
 */
async function runUntilSignal(config: Config, parts: readonly Part[]): Promise<number> {
  const log = makeLog(config);
  const program = await startProgram(config, log, parts);
  process.stdout.write(`${program.readyLine}\n`);
  if (program.hint !== undefined) process.stderr.write(program.hint);
  await new Promise<void>((resolve) => {
    const onSignal = (signal: string): void => {
      log.info({ signal }, 'draining; a second signal ends the process at once');
      resolve();
      const again = (): never => process.exit(1);
      process.once('SIGTERM', again);
      process.once('SIGINT', again);
    };
    process.once('SIGTERM', onSignal);
    process.once('SIGINT', onSignal);
  });
  await program.stop();
  return 0;
}
