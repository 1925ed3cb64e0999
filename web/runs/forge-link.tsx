import ExternalLink from 'lucide-react/icons/external-link';
import { useConfig } from '../api/config.ts';
import { safeUrl } from '../ui/text/safe-url.ts';

/** Opens the object at the forge. Nothing without a safe address. */
export function ForgeLink({ url: given }: { url: string | null }) {
  const config = useConfig();
  const url = safeUrl(given);
  if (url === undefined) return null;
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className="inline-flex h-7 items-center gap-1.5 rounded-md border border-line-strong bg-surface px-2.5 hover:bg-hover md:ml-auto pointer-coarse:h-9"
    >
      Open on {config?.forgeName ?? 'the forge'}
      <ExternalLink size={14} aria-hidden />
      <span className="sr-only">, in a new tab</span>
    </a>
  );
}
