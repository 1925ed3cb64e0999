import { commitUrl } from '#contract/base/forge-urls.ts';
import { safeUrl } from '../ui/text/safe-url.ts';
import { linkLook } from '../ui/text/text-link.tsx';

/** A SHA that opens the commit at the forge in a new tab, if its address is known. In a row with a link of its own, it lies above. */
export function ShaLink({ sha, repositoryUrl }: { sha: string; repositoryUrl: string | null }) {
  const url = safeUrl(commitUrl(repositoryUrl, sha));
  const code = <code className="font-mono text-xs">{sha.slice(0, 7)}</code>;
  if (url === undefined) return code;
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className={`relative z-1 ${linkLook}`}
      aria-label={`${sha.slice(0, 7)} at the forge, opens a new tab`}
    >
      {code}
    </a>
  );
}
