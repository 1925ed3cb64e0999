import RotateCw from 'lucide-react/icons/rotate-cw';
import { IconButton } from '../../ui/button.tsx';
import { runActions, type ActedRun } from './run-action.ts';
import { useIsConnected } from './use-is-connected.ts';
import { useRunAction } from './use-run-action.tsx';

/** A button in a list that re-runs the failed jobs of a run. Nothing when its forge is not connected. */
export function RerunFailed({
  run,
  name,
}: {
  run: ActedRun;
  /** For the name of the button. */ name: string;
}) {
  const { ask, dialog } = useRunAction(run, runActions.rerunFailed);
  if (!useIsConnected(run)) return null;
  return (
    <>
      <IconButton data-rerun label={`Re-run failed jobs of ${name}…`} onClick={ask}>
        <RotateCw size={15} aria-hidden />
      </IconButton>
      {dialog}
    </>
  );
}
