import { isSha } from './forge-urls.ts';

/** The forge's page with the commits after one up to another. Null when one is not known or they are equal. */
export function compareUrl(repository: string | null, from: string | null, to: string | null): string | null {
  if (repository === null || from === null || to === null || from === to) return null;
  return isSha.test(from) && isSha.test(to) ? `${repository}/compare/${from}...${to}` : null;
}
