import type { Config } from '#platform/runtime/settings/config.ts';
import { makeLog } from '#platform/runtime/log.ts';
import { openRuntime } from '#server/runtime.ts';
import type { Command } from './command.ts';

export function migrateCommand(config: () => Config): Command {
  return {
    name: 'migrate',
    summary: 'apply migrations and exit',
    options: {},
    run: async () => {
      const settings = config();
      const runtime = await openRuntime(settings, makeLog(settings));
      await runtime.close();
      process.stderr.write('The database is up to date.\n');
      return 0;
    },
  };
}
