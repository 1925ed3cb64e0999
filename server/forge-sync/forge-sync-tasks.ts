import { checkUnfinished } from './check-unfinished.ts';
import type { ForgeTaskOptions } from './task.ts';
import { provisionWebhooks, type ProvisionDeps } from './provision-webhooks.ts';
import { readHistory, type HistoryDeps } from './history/read-history.ts';

/** The kinds of background tasks for linked installations and access tokens. */
export function forgeSyncTasks(deps: ProvisionDeps & HistoryDeps): ForgeTaskOptions[] {
  return [
    {
      kind: 'webhooks',
      permission: 'write repository webhooks',
      outlivesLink: true,
      run: (task, renewLease) => provisionWebhooks(deps, task, renewLease),
    },
    {
      kind: 'history',
      permission: 'read Actions and pull requests',
      outlivesLink: false,
      run: (task, renewLease) => readHistory(deps, task, renewLease),
    },
    {
      kind: 'unfinished',
      permission: 'read Actions',
      outlivesLink: false,
      run: (task, renewLease) => checkUnfinished(deps, task, renewLease),
    },
  ];
}
