export const isSha = /^[0-9a-f]{7,64}$/;

/** The forge's page of the repository of a run. The address of a run contains it before `/actions/`. Null when it is not known. */
export function repositoryUrl(runUrl: string | null): string | null {
  const end = runUrl?.indexOf('/actions/runs/') ?? -1;
  return runUrl === null || end < 0 ? null : runUrl.slice(0, end);
}

/** The forge's page of a commit. GitHub, Gitea and Forgejo have the same path. */
export function commitUrl(repository: string | null, sha: string | null): string | null {
  return repository === null || sha === null || !isSha.test(sha) ? null : `${repository}/commit/${sha}`;
}
