import { longestGroupName } from '#contract/metrics/metrics.ts';
import { given, readText } from '../app/search-values.ts';

/** What a new rule is about. */
export interface NotifySearch {
  /** What the rule watches. Default: failures. */
  watch?: string | undefined;
  repository?: string | undefined;
  workflow?: string | undefined;
  branch?: string | undefined;
}

export function readNotifySearch(search: Record<string, unknown>): NotifySearch {
  const name = (key: string) => readText(search[key], longestGroupName);
  const watch = readText(search['watch'], 30);
  return given({ watch, repository: name('repository'), workflow: name('workflow'), branch: name('branch') });
}
