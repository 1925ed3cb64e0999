import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';
import { useEffect, useState } from 'react';
import { IconButton } from '../button.tsx';

const shownMs = 2000;

/** A command or address with a copy button. `name` describes it. */
export function CopyText({ name, text }: { name: string; text: string }) {
  return (
    <div className="flex items-start gap-1 rounded-md border border-line bg-hover py-1 pr-1 pl-3">
      <code className="min-w-0 grow py-1 font-mono text-xs leading-5 break-all">{text}</code>
      <CopyButton name={name} text={text} />
    </div>
  );
}

/** Copies a text. `name` describes it. */
export function CopyButton({ name, text }: { name: string; text: string }) {
  const [result, setResult] = useState<'copied' | 'failed'>();
  useEffect(() => {
    if (result === undefined) return;
    const timer = setTimeout(() => setResult(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = async (): Promise<void> => setResult(await copyText(text));
  return (
    <>
      <IconButton label={`Copy ${name}`} onClick={() => void copy()}>
        {result === 'copied' ? (
          <Check size={15} aria-hidden className="text-passed" />
        ) : (
          <Copy size={15} aria-hidden />
        )}
      </IconButton>
      <output className={result === 'failed' ? 'self-center pr-1 text-xs text-failed' : 'sr-only'}>
        {result === 'copied' && `Copied ${name}`}
        {result === 'failed' && 'Could not copy'}
      </output>
    </>
  );
}

/** Browsers offer the clipboard only in secure contexts. */
export async function copyText(text: string): Promise<'copied' | 'failed'> {
  try {
    await navigator.clipboard.writeText(text);
    return 'copied';
  } catch {
    return 'failed';
  }
}
