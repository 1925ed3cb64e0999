import { given, readChoice, readText } from '../app/search-values.ts';

/** What the list of pull requests shows. Default: the person's own, if their account at the forge is known. */
export const shownChoices = ['mine', 'open', 'all'] as const;
export type Shown = (typeof shownChoices)[number];

/** The filters of the list of pull requests, as in its address. */
export interface PullRequestSearch {
  show?: Shown | undefined;
  q?: string | undefined;
}

const maxLength = 255;

/** Reads the filters from an address. Drops values that the server would refuse. */
export function readPullRequestSearch(search: Record<string, unknown>): PullRequestSearch {
  const q = readText(search['q'], maxLength);
  return given({ show: readChoice(shownChoices, search['show']), q: q?.trim() === '' ? undefined : q });
}

/** Reads the repository from the address of a pull request. */
export function readRepositorySearch(search: Record<string, unknown>): { repository?: string | undefined } {
  return given({ repository: readText(search['repository'], maxLength) });
}
