import RotateCw from 'lucide-react/icons/rotate-cw';
import { IconButton } from '../../ui/button.tsx';
import { runActions, type ActedRun } from './run-action.ts';
import { useIsConnected } from './use-is-connected.ts';
import { useRunAction } from './use-run-action.tsx';

/**
 * A button in a list that re-runs the failed jobs of a run. Only its place when the forge is not connected, so that it moves nothing when it
 * appears. Phones have no room for the place.
 */
export function RerunFailed({
  run,
  name,
}: {
  run: ActedRun;
  /** For the name of the button. */ name: string;
}) {
  const { ask, dialog } = useRunAction(run, runActions.rerunFailed);
  const isConnected = useIsConnected(run);
  return (
    <>
      <IconButton
        data-rerun={isConnected || undefined}
        label={`Re-run failed jobs of ${name}…`}
        className={isConnected ? '' : 'invisible max-sm:hidden'}
        onClick={ask}
      >
        <RotateCw size={15} aria-hidden />
      </IconButton>
      {dialog}
    </>
  );
}
