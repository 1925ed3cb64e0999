import { useBlocker } from '@tanstack/react-router';
import { lazyPart } from '../page/lazy-part.tsx';
import type { LeaveQuestion } from './leave-question.ts';

const LeaveDialog = lazyPart('dialog', 'LeaveDialog', async () => ({
  LeaveDialog: (await import('./dialog.tsx')).LeaveDialog,
}));

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
  return <LeaveDialog {...question} onLeave={proceed} onStay={reset} />;
}
