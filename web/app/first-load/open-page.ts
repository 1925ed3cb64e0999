import { parseSearch } from '../search-text.ts';

export interface OpenPage {
  /** Empty for home. */
  integrationId: string;
  /** The first segment after the integration: `runs` for `runs/42`. */
  page: string;
  /** The segment after it: `42`. */
  detail: string | undefined;
  search: Record<string, string>;
}

/** Home, or the page of an integration at an address. Undefined for other pages. */
export function openPage({ pathname, search }: Pick<Location, 'pathname' | 'search'>): OpenPage | undefined {
  // An address with a key of the demo belongs to nobody who is signed in.
  if (pathname === '/' && search === '')
    return { integrationId: '', page: 'home', detail: undefined, search: {} };
  const [, integrationId, page, detail] =
    /^\/integrations\/([0-9a-f-]{36})\/([a-z-]+)(?:\/([^/]+))?/.exec(pathname) ?? [];
  if (integrationId === undefined || page === undefined) return undefined;
  return { integrationId, page, detail, search: parseSearch(search) };
}
