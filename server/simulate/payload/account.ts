import { hash32 } from '../random.ts';

/** Base URLs of the forge's pages, REST API and avatars. */
export interface ForgeUrls {
  web: string;
  api: string;
  avatars: string;
}

type AccountType = 'User' | 'Organization' | 'Bot';

/** Derives an id from a name, so that two simulations give a user the same id. */
export function stableId(kind: string, name: string, from: number, to: number): number {
  return from + (hash32(`${kind}/${name}`) % (to - from));
}

/** GitHub's opaque global id: a prefix that names the type, then base64. */
export function nodeId(prefix: string, id: number): string {
  return `${prefix}_kwDO${Buffer.from(`F${id}`).toString('base64url')}`;
}

export type Account = ReturnType<typeof account>;

/** The user object of an actor, sender, author or owner. */
export function account(urls: ForgeUrls, login: string, type: AccountType) {
  const id = stableId('account', login, 10_000_000, 180_000_000);
  const api = `${urls.api}/users/${encodeURIComponent(login)}`;
  const page = type === 'Bot' ? `${urls.web}/apps/${login.replace('[bot]', '')}` : `${urls.web}/${login}`;
  return Object.freeze({
    login,
    id,
    node_id: nodeId(type === 'Organization' ? 'O' : type === 'Bot' ? 'BOT' : 'U', id),
    avatar_url: `${urls.avatars}/u/${id}?v=4`,
    gravatar_id: '',
    url: api,
    html_url: page,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type,
    user_view_type: 'public',
    site_admin: false,
  });
}

export type Organization = ReturnType<typeof organization>;

/** The `organization` of an event, which differs from the same organization as an owner. */
export function organization(urls: ForgeUrls, login: string) {
  const id = stableId('account', login, 10_000_000, 180_000_000);
  const api = `${urls.api}/orgs/${login}`;
  return Object.freeze({
    login,
    id,
    node_id: nodeId('O', id),
    url: api,
    repos_url: `${api}/repos`,
    events_url: `${api}/events`,
    hooks_url: `${api}/hooks`,
    issues_url: `${api}/issues`,
    members_url: `${api}/members{/member}`,
    public_members_url: `${api}/public_members{/member}`,
    avatar_url: `${urls.avatars}/u/${id}?v=4`,
    description: 'Makes software for people who repair things',
  });
}
