import { sampleOwner, sampleRepositoryNames } from '#server/sample-data/sample-repositories.ts';
import { account, repository } from '../payload/objects.ts';

const since = '2026-01-01T00:00:00Z';

/** The account as GitHub shows it to everybody. */
export function sampleAccountObject() {
  return {
    ...account(sampleOwner),
    name: sampleOwner,
    company: null,
    blog: null,
    location: null,
    email: null,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: since,
    updated_at: since,
  };
}

const permissions = { admin: true, maintain: true, push: true, triage: true, pull: true };

export const sampleRepositoryObjects = sampleRepositoryNames.map((name) => ({
  ...repository(name, account(sampleOwner, 'Organization')).full,
  permissions,
}));

/** The product posts its own sample webhooks, so that no webhook is stored and called. */
export function sampleWebhook(url: string) {
  return {
    type: 'Repository',
    id: 1,
    name: 'web',
    active: true,
    events: ['workflow_run', 'workflow_job'],
    config: { content_type: 'json', insecure_ssl: '0', url: 'https://webhook.example/' },
    updated_at: since,
    created_at: since,
    url,
    test_url: `${url}/test`,
    ping_url: `${url}/pings`,
    last_response: { code: null, status: 'unused', message: null },
  };
}
