import { asText, parseSearch } from '#contract/runs/run-search.ts';
import { Button } from '../../ui/button.tsx';
import { clip } from '../../ui/text/clip.ts';

/** Says what a search for a number or a SHA looks for, and offers the search for text. */
export function SearchNote({ q, onChange }: { q: string; onChange: (q: string) => void }) {
  const search = parseSearch(q);
  if (search.kind === 'text') return null;
  return (
    <p className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1 text-muted">
      <span>
        {search.kind === 'commit' ? 'Runs of the commit ' : 'Runs with the number, id or pull request '}
        <bdi className="font-mono text-xs text-text">
          {search.kind === 'commit' ? clip(search.sha, 64) : search.number}
        </bdi>
      </span>
      <Button variant="bare" onClick={() => onChange(asText(q))}>
        Search titles and errors instead
      </Button>
    </p>
  );
}
