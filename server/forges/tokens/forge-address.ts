/** The kinds of forge that an access token can be for. */
export type ForgeKind = 'github' | 'gitea' | 'forgejo';

/** The root of the REST API of a forge. `url` is its web address. */
export function apiUrlOf(forge: ForgeKind, url: string): string {
  const root = url.replace(/\/+$/, '');
  if (forge !== 'github') return `${root}/api/v1`;
  return new URL(root).hostname === 'github.com' ? 'https://api.github.com' : `${root}/api/v3`;
}
