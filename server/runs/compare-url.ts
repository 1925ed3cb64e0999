const isSha = /^[0-9a-f]{7,64}$/;

/**
 * The forge's page with the commits between two runs. GitHub, Gitea and Forgejo have the same path. The address of a run contains
 * the repository after the forge's own path. Null when it is not known or the commits are equal.
 */
export function compareUrl(
  runUrl: string | null,
  repository: string,
  from: string | null,
  to: string | null,
): string | null {
  if (runUrl === null || from === null || to === null || from === to) return null;
  const end = runUrl.indexOf(`/${repository}/`);
  if (end < 0 || !isSha.test(from) || !isSha.test(to)) return null;
  return `${runUrl.slice(0, end)}/${repository}/compare/${from}...${to}`;
}
