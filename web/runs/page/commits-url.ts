import { safeUrl } from '../../ui/text/safe-url.ts';

const isSha = /^[0-9a-f]{7,64}$/;

/**
 * The forge's page with the commits after one run up to another. GitHub, Gitea and Forgejo have the same path. Undefined without
 * two commits.
 */
export function commitsUrl(
  { url: given, repository }: { url: string | null; repository: string },
  from: string | null,
  to: string | null,
): string | undefined {
  const url = safeUrl(given);
  if (url === undefined || from === null || to === null || from === to) return undefined;
  if (!isSha.test(from) || !isSha.test(to)) return undefined;
  const end = url.indexOf(`/${repository}/`);
  return end < 0 ? undefined : `${url.slice(0, end)}/${repository}/compare/${from}...${to}`;
}
