import { useBlocker } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { session } from '../../api/session/browser-session.ts';
import { lazyPart } from '../page/lazy-part.tsx';
import type { LeaveQuestion } from './leave-question.ts';

const LeaveDialog = lazyPart('dialog', 'LeaveDialog', async () => ({
  LeaveDialog: (await import('./dialog.tsx')).LeaveDialog,
}));

const endedQuestion: LeaveQuestion = {
  title: 'Your session has ended',
  text: 'To keep your input, sign in in another tab and come back. Here it will be lost.',
  action: 'Discard and sign in',
  dismiss: 'Keep editing',
};

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
  const isOver = useSyncExternalStore(session.onState, () => session.state === 'over');
  if (status !== 'blocked') return null;
  return <LeaveDialog {...(isOver ? endedQuestion : question)} onLeave={proceed} onStay={reset} />;
}
