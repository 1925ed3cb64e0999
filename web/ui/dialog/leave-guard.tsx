import { useBlocker } from '@tanstack/react-router';
import { Suspense } from 'react';
import { lazyPart } from '../page/lazy-part.tsx';
import type { LeaveQuestion } from './leave-dialog.tsx';

const LeaveDialog = lazyPart('leave-dialog', 'LeaveDialog', () => import('./leave-dialog.tsx'));

/** Asks before the page is left, and lets the browser ask before the tab is closed. */
export function LeaveGuard({
  isActive,
  ...question
}: LeaveQuestion & {
  /** Asked at each attempt to leave. */
  isActive: () => boolean;
}) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isActive,
    enableBeforeUnload: isActive,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <Suspense>
      <LeaveDialog {...question} onLeave={proceed} onStay={reset} />
    </Suspense>
  );
}
