import { useQuery } from '@tanstack/react-query';
import type { PullRequestItem, PullRequestPage } from '#contract/runs/pull-requests.ts';
import { getJson } from '../api/client.ts';
import { queryString } from '../api/query-string.ts';
import { pullRequestsPath } from './pull-requests-path.ts';

const maxHits = 3;

/** The first pull requests with the number, branch, SHA or title; none for an empty text. */
export function usePullRequestHits(
  integrationId: string | undefined,
  text: string,
): readonly PullRequestItem[] {
  const path = pullRequestsPath(integrationId ?? '');
  const { data } = useQuery({
    queryKey: [path, 'hits', text],
    queryFn: ({ signal }) =>
      getJson<PullRequestPage>(path + queryString({ q: text, limit: String(maxHits) }), signal),
    enabled: integrationId !== undefined && text !== '',
    staleTime: 10_000,
  });
  return (text === '' ? undefined : data?.items) ?? [];
}
