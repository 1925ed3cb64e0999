import type { Service } from '#platform/runtime/service.ts';
import { checkUnfinished } from './check-unfinished.ts';
import { makeForgeTask, type ForgeTaskDeps } from './task.ts';
import { provisionWebhooks, type ProvisionDeps } from './provision-webhooks.ts';
import { readHistory, type HistoryDeps } from './read-history.ts';

/** Background tasks for linked installations. Each kind has its own schedule. */
export function forgeSyncTasks(deps: ForgeTaskDeps & ProvisionDeps & HistoryDeps): Service[] {
  return [
    makeForgeTask(deps, {
      kind: 'webhooks',
      permission: 'write repository webhooks',
      outlivesLink: true,
      run: (task, renewLease) => provisionWebhooks(deps, task, renewLease),
    }),
    makeForgeTask(deps, {
      kind: 'history',
      permission: 'read Actions and pull requests',
      outlivesLink: false,
      run: (task, renewLease) => readHistory(deps, task, renewLease),
    }),
    makeForgeTask(deps, {
      kind: 'unfinished',
      permission: 'read Actions',
      outlivesLink: false,
      run: (task, renewLease) => checkUnfinished(deps, task, renewLease),
    }),
  ];
}
