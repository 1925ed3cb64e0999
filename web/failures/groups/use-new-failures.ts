import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { failedConclusions } from '#contract/failures/failures.ts';
import { useUpdates } from '../../api/live/live.tsx';
import { groupsPath } from './groups-path.ts';

/** A storm of failures reads the groups this often. */
const pauseMs = 1000;

/** Reads the groups again when a reason was stored, which arrives as an update of its job. */
export function useNewFailures(integrationId: string): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const readSoon = (): void => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void client.invalidateQueries({ queryKey: [groupsPath(integrationId)] }, { cancelRefetch: false });
    }, pauseMs);
  };
  useUpdates(integrationId, {
    onUpdates: (updates) => {
      if (updates.some(({ data }) => failedConclusions.includes(data.conclusion))) readSoon();
    },
    onResync: readSoon,
    onConnected: readSoon,
  });
}
