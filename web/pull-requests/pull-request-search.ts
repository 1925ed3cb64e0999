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
  const show = shownChoices.find((each) => each === search['show']);
  const q = textOf(search['q']);
  return { ...(show && { show }), ...(q !== undefined && { q }) };
}

/** Reads the repository from the address of a pull request. */
export function readRepositorySearch(search: Record<string, unknown>): { repository?: string } {
  const repository = textOf(search['repository']);
  return repository === undefined ? {} : { repository };
}

/** A number in an address is read as a number. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' && text.length <= maxLength ? text : undefined;
}
