import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { SampleData } from '#contract/integrations/integrations.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { retryAfter } from '../api/problem.ts';
import { toast } from '../ui/dialog/toast.ts';

const askEveryMs = 2000;

export const sampleDataPath = (integrationId: string): string =>
  `/api/integrations/${integrationId}/sample-data`;

/** Whether the integration has sample data. When its removal ends, all data is read again. */
export function useSampleData(integrationId: string): SampleData['state'] | undefined {
  const client = useQueryClient();
  const path = sampleDataPath(integrationId);
  const { data } = useQuery({
    ...jsonQuery<SampleData>(path),
    refetchInterval: ({ state }) =>
      retryAfter(state.error) ?? (state.data?.state === 'removing' && askEveryMs),
  });
  const state = data?.state;
  const before = useRef(state);
  useEffect(() => {
    if (before.current === 'removing' && state === 'none') {
      toast('Sample data removed');
      void client.invalidateQueries();
    }
    before.current = state;
  }, [client, state]);
  return state;
}
