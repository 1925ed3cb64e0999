export interface ForgeAccount {
  id: number;
  login: string;
}

export interface ForgeInstallation extends ForgeAccount {
  type: 'Organization' | 'User';
  suspendedAt?: string | null;
}

/** Of which forge an answer tells. */
interface Forge {
  url: string;
  appId: number;
  organization: ForgeAccount;
  admins: ReadonlySet<number>;
  invited: ReadonlySet<number>;
}

export const tokenOf = (installationId: number) => ({
  token: `installation-${installationId}`,
  expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  permissions: { members: 'read' },
  repository_selection: 'all',
});

export const installationOf = (
  { url, appId }: Pick<Forge, 'url' | 'appId'>,
  id: number,
  account: ForgeInstallation,
) => ({
  id,
  account: userOf(url, account, account.type),
  access_tokens_url: `${url}/app/installations/${id}/access_tokens`,
  repositories_url: `${url}/installation/repositories`,
  html_url: `${url}/settings/installations/${id}`,
  app_id: appId,
  app_slug: 'forgewatch-test',
  target_id: account.id,
  target_type: account.type,
  permissions: { members: 'read' },
  events: ['organization'],
  created_at: '2026-11-01T00:00:00Z',
  updated_at: '2026-11-01T00:00:00Z',
  single_file_name: null,
  repository_selection: 'all',
  suspended_at: account.suspendedAt ?? null,
  suspended_by: null,
});

export const membershipOf = (
  { url, organization, admins, invited }: Omit<Forge, 'appId'>,
  member: ForgeAccount,
) => ({
  url: `${url}/orgs/${organization.login}/memberships/${member.login}`,
  state: invited.has(member.id) ? 'pending' : 'active',
  role: admins.has(member.id) ? 'admin' : 'member',
  direct_membership: true,
  enterprise_teams_providing_indirect_membership: [],
  organization_url: `${url}/orgs/${organization.login}`,
  organization: {
    ...organization,
    node_id: 'x',
    url,
    repos_url: url,
    events_url: url,
    hooks_url: url,
    issues_url: url,
    members_url: url,
    public_members_url: url,
    avatar_url: url,
    description: null,
  },
  user: userOf(url, member),
  permissions: { can_create_repository: false },
});

export function userOf(forgeUrl: string, { id, login }: ForgeAccount, type = 'User') {
  const at = `${forgeUrl}/users/${login}`;
  return {
    id,
    login,
    node_id: 'x',
    avatar_url: at,
    gravatar_id: '',
    url: at,
    html_url: at,
    followers_url: at,
    following_url: at,
    gists_url: at,
    starred_url: at,
    subscriptions_url: at,
    organizations_url: at,
    repos_url: at,
    events_url: at,
    received_events_url: at,
    type,
    site_admin: false,
  };
}

/** What GitHub reports about a failed job: https://docs.github.com/rest/checks/runs#list-check-run-annotations. */
export const failureAnnotation = (message: string) => ({
  path: '.github',
  blob_href: 'https://github.example.com/blob/1',
  start_line: 1,
  start_column: null,
  end_line: 1,
  end_column: null,
  annotation_level: 'failure',
  title: null,
  message,
  raw_details: null,
});
