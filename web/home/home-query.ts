import { queryOptions } from '@tanstack/react-query';
import type { Home } from '#contract/integrations/home.ts';
import { getJson } from '../api/client.ts';
import { readEvery } from '../api/read-every.ts';
import { homePath } from './home-path.ts';

/** Without a connection for live updates home is read this often. */
const askEveryMs = 30_000;

export const homeQuery = queryOptions({
  queryKey: ['home'],
  queryFn: ({ signal }) => getJson<Home>(homePath, signal),
  refetchInterval: readEvery(askEveryMs),
});
