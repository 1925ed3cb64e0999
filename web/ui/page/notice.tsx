import CloudOff from 'lucide-react/icons/cloud-off';
import type { ReactNode } from 'react';

/** A line below all pages about a connection that fails. It appears while somebody reads, and moves nothing there. */
export function Notice({ end, children }: { end?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex items-center justify-center gap-x-3 gap-y-1 border-t border-line bg-hover px-4 py-1.5">
      <CloudOff size={15} aria-hidden className="shrink-0 text-running" />
      <p className="min-w-0">{children}</p>
      {end}
    </div>
  );
}
