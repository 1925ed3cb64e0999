import { dayMs } from '#platform/runtime/time-units.ts';
import { checkUnfinished, intervalMs } from './check-unfinished.ts';
import type { ForgeTaskOptions } from './task.ts';
import { provisionWebhooks, type ProvisionDeps } from './provision-webhooks.ts';
import { readHistory, type HistoryDeps } from './history/read-history.ts';

/** The kinds of background tasks for linked installations and access tokens. */
export function forgeSyncTasks(deps: ProvisionDeps & HistoryDeps): ForgeTaskOptions[] {
  return [
    {
      kind: 'forge-webhooks',
      permission: 'write repository webhooks',
      outlivesLink: true,
      run: (task) => provisionWebhooks(deps, task),
    },
    {
      kind: 'forge-history',
      permission: 'read Actions and pull requests',
      outlivesLink: false,
      restsMs: dayMs,
      run: (task) => readHistory(deps, task),
    },
    {
      kind: 'forge-unfinished',
      permission: 'read Actions',
      outlivesLink: false,
      restsMs: intervalMs,
      run: (task) => checkUnfinished(deps, task),
    },
  ];
}
