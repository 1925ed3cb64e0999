import ExternalLink from 'lucide-react/icons/external-link';
import { useConfig } from '../api/config.ts';
import { plainLook } from '../ui/button.tsx';
import { safeUrl } from '../ui/text/safe-url.ts';

/** Opens the object at the forge. Nothing without a safe address. */
export function ForgeLink({ url: given }: { url: string | null }) {
  const config = useConfig();
  const url = safeUrl(given);
  if (url === undefined) return null;
  return (
    <a href={url} target="_blank" rel="noreferrer" className={`${plainLook} md:ml-auto`}>
      Open on {config?.forgeName ?? 'the forge'}
      <ExternalLink size={14} aria-hidden />
      <span className="sr-only">, in a new tab</span>
    </a>
  );
}
