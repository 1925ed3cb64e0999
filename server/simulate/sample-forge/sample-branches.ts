import { commitObject } from './sample-commits.ts';

/** Rules of rulesets as GitHub lists them for a branch, with the checks that must pass. */
export function branchRules(checks: readonly string[]) {
  const ruleset = { ruleset_source_type: 'Repository', ruleset_source: 'Sample', ruleset_id: 1 };
  return [
    { ...ruleset, type: 'non_fast_forward' },
    {
      ...ruleset,
      type: 'required_status_checks',
      parameters: {
        strict_required_status_checks_policy: false,
        required_status_checks: checks.map((context) => ({ context })),
      },
    },
  ];
}

/** A branch as GitHub shows it to a reader, with the checks that its protection requires. */
export function branchObject(apiUrl: string, repository: string, name: string, checks: readonly string[]) {
  const sha = '0'.repeat(40);
  const url = `${apiUrl}/repos/${repository}/branches/${name}`;
  const author = 'sam-sample';
  return {
    name,
    commit: commitObject(apiUrl, repository, {
      sha,
      message: 'Update dependencies',
      author,
      at: '2026-11-01T00:00:00Z',
      parents: [],
      files: [],
    }),
    _links: { self: url, html: url },
    protected: checks.length > 0,
    protection: {
      enabled: checks.length > 0,
      required_status_checks: {
        enforcement_level: checks.length > 0 ? 'non_admins' : 'off',
        contexts: checks,
        checks: checks.map((context) => ({ context, app_id: null })),
      },
    },
    protection_url: `${url}/protection`,
  };
}
