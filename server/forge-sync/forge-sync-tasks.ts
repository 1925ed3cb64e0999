import type { Service } from '#platform/runtime/service.ts';
import { checkUnfinished } from './check-unfinished.ts';
import { makeDuty, type DutyDeps } from './task.ts';
import { provisionHooks, type ProvisionDeps } from './provision-hooks.ts';
import { readHistory, type HistoryDeps } from './read-history.ts';

/** What the worker does at the forge for linked installations, each kind at its own pace. */
export function repositoryDuties(deps: DutyDeps & ProvisionDeps & HistoryDeps): Service[] {
  return [
    makeDuty(deps, {
      kind: 'hooks',
      permission: 'write repository webhooks',
      outlivesLink: true,
      takeTurn: (duty, keepLease) => provisionHooks(deps, duty, keepLease),
    }),
    makeDuty(deps, {
      kind: 'history',
      permission: 'read Actions and pull requests',
      outlivesLink: false,
      takeTurn: (duty, keepLease) => readHistory(deps, duty, keepLease),
    }),
    makeDuty(deps, {
      kind: 'unfinished',
      permission: 'read Actions',
      outlivesLink: false,
      takeTurn: (duty, keepLease) => checkUnfinished(deps, duty, keepLease),
    }),
  ];
}
