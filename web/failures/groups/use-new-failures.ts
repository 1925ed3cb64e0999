import { isFailed } from '#contract/runs/conclusions.ts';
import { useLiveReads } from '../../api/live/use-live-reads.ts';
import { groupsPath } from './groups-path.ts';

/** A storm of failures reads the groups this often. */
const pauseMs = 1000;

/** Reads the groups again when a reason was stored, which arrives as an update of its job. */
export function useNewFailures(integrationId: string): void {
  useLiveReads({
    integrationId,
    queryKey: [groupsPath(integrationId)],
    pauseMs,
    concerns: ({ conclusion }) => isFailed(conclusion),
  });
}
