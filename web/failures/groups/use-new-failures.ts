import { failedConclusions } from '#contract/failures/failures.ts';
import { useUpdates } from '../../api/live/live.tsx';
import { useReadSoon } from '../../api/use-read-soon.ts';
import { groupsPath } from './groups-path.ts';

/** A storm of failures reads the groups this often. */
const pauseMs = 1000;

/** Reads the groups again when a reason was stored, which arrives as an update of its job. */
export function useNewFailures(integrationId: string): void {
  const readSoon = useReadSoon([groupsPath(integrationId)], pauseMs);
  useUpdates(integrationId, {
    onUpdates: (updates) => {
      if (updates.some(({ data }) => failedConclusions.includes(data.conclusion))) readSoon();
    },
    onResync: readSoon,
    onConnected: readSoon,
  });
}
