import { given, readText } from '../app/search-values.ts';

export interface WallSearch {
  repository?: string | undefined;
  workflow?: string | undefined;
}

const maxLength = 1000;

/** Reads the filter from an address. Drops values that the server would refuse. */
export function readWallSearch({ repository, workflow }: Record<string, unknown>): WallSearch {
  return given({ repository: readText(repository, maxLength), workflow: readText(workflow, maxLength) });
}

/**
 * The secret of a share link, which follows `#` in the address. Browsers do not send it to servers. Empty for an incomplete link,
 * undefined without one.
 */
export function secretOf(hash: string): string | undefined {
  const secret = hash.replace(/^#/, '');
  if (secret === '') return undefined;
  return /^[\w-]{43}$/.test(secret) ? secret : '';
}
