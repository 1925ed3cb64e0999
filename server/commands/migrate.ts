import type { Config } from '#platform/runtime/config.ts';
import { makeLog } from '#platform/runtime/log.ts';
import { openDeployment } from '../deployment.ts';
import type { Command } from './command.ts';

export function migrateCommand(config: () => Config): Command {
  return {
    name: 'migrate',
    summary: 'apply migrations and exit',
    options: {},
    run: async () => {
      const settings = config();
      const deployment = await openDeployment(settings, makeLog(settings));
      await deployment.close();
      process.stderr.write('The database is up to date.\n');
      return 0;
    },
  };
}
