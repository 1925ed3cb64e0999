import { longestGroupName } from '#contract/metrics/metrics.ts';
import { given, readText } from '../app/search-values.ts';

/** What a new rule is about. */
export interface NotifySearch {
  repository?: string | undefined;
  workflow?: string | undefined;
  branch?: string | undefined;
}

export function readNotifySearch(search: Record<string, unknown>): NotifySearch {
  const name = (key: string) => readText(search[key], longestGroupName);
  return given({ repository: name('repository'), workflow: name('workflow'), branch: name('branch') });
}
