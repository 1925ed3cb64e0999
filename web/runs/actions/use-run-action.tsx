import { Suspense, useState, type ReactNode } from 'react';
import { lazyPart } from '../../ui/page/lazy-part.tsx';
import type { ActedRun, RunAction } from './run-action.ts';

const RunActionDialog = lazyPart(
  'run-action-dialog',
  'RunActionDialog',
  () => import('./run-action-dialog.tsx'),
);

/** An action on a run, with the dialog that confirms it. */
export function useRunAction(run: ActedRun, action: RunAction): { ask: () => void; dialog: ReactNode } {
  const [isAsking, setAsking] = useState(false);
  const dialog = isAsking && (
    <Suspense>
      <RunActionDialog run={run} action={action} onClose={() => setAsking(false)} />
    </Suspense>
  );
  return { ask: () => setAsking(true), dialog };
}
