import RotateCw from 'lucide-react/icons/rotate-cw';
import { useState } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { runActions, type ActedRun } from './run-action.ts';
import { RunActionDialog } from './run-actions.tsx';
import { useIsConnected } from './use-is-connected.ts';

/** A button in a list that re-runs the failed jobs of a run. Nothing when its forge is not connected. */
export function RerunFailed({
  run,
  name,
}: {
  run: ActedRun;
  /** For the name of the button. */ name: string;
}) {
  const [isAsking, setAsking] = useState(false);
  if (!useIsConnected(run)) return null;
  return (
    <>
      <IconButton data-rerun label={`Re-run failed jobs of ${name}…`} onClick={() => setAsking(true)}>
        <RotateCw size={15} aria-hidden />
      </IconButton>
      {isAsking && (
        <RunActionDialog run={run} action={runActions.rerunFailed} onClose={() => setAsking(false)} />
      )}
    </>
  );
}
