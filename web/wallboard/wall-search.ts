export interface WallSearch {
  repository?: string;
  workflow?: string;
}

const maxLength = 1000;

/** Reads the filter from an address. Drops values that the server would refuse. */
export function readWallSearch({ repository, workflow }: Record<string, unknown>): WallSearch {
  return {
    ...(isFilter(repository) ? { repository: String(repository) } : {}),
    ...(isFilter(workflow) ? { workflow: String(workflow) } : {}),
  };
}

function isFilter(value: unknown): value is string | number {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' && text.length <= maxLength;
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
