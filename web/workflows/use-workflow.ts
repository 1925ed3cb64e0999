import { useQuery } from '@tanstack/react-query';
import type { Incident } from '#contract/alerts/incidents.ts';
import { joinValues, only } from '#contract/base/value-list.ts';
import type { FailureGroup } from '#contract/failures/failures.ts';
import type { Metrics } from '#contract/metrics/metrics.ts';
import type { WorkflowSteps } from '#contract/metrics/steps.ts';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import type { WorkflowFacets, WorkflowRun, WorkflowRunPage } from '#contract/runs/runs.ts';
import { getJson } from '../api/client.ts';
import { readEvery } from '../api/read-every.ts';
import { queryString } from '../api/query-string.ts';
import { useLiveReads } from '../api/live/use-live-reads.ts';
import { metricsQuery, type MetricsSearch } from '../metrics/metrics-search.ts';

const askEveryMs = 60_000;
/** Updates come in bursts, and reading takes several requests. */
const pauseMs = 10_000;

/** The names of a workflow, and the period and class of branches of its page. */
export type WorkflowSearch = MetricsSearch & { repository: string; workflow: string };

export type WorkflowData = Awaited<ReturnType<typeof readWorkflow>>;

/** Runs in the list of the page, and those that the state of the default branch is read from. */
const listedRuns = 20;
const stateRuns = 30;
const listedProblems = 5;

interface Page<Item> {
  items: Item[];
}

async function readWorkflow(integrationId: string, search: WorkflowSearch, signal: AbortSignal) {
  const { repository, workflow, branch } = search;
  const read = <T>(path: string, query: Record<string, string | number | undefined>): Promise<T> =>
    getJson<T>(`/api/integrations/${integrationId}/${path}${queryString(query)}`, signal);
  const query = metricsQuery(search, Date.now());
  const name = { repository: only(repository), workflow: only(workflow) };
  const problems = { repository, workflow, status: 'open', limit: listedProblems };
  const period = { from: query['from'], to: query['to'] };
  const started: RunFilter = {
    ...name,
    ...period,
    branchClass: branch,
    event: joinValues(['push', 'pull_request']),
  };
  const [metrics, byJob, steps, runs, onDefault, people, incidents, failures] = await Promise.all([
    read<Metrics>('metrics', query),
    read<Metrics>('metrics', { ...query, groupBy: 'job' }),
    read<WorkflowSteps>('workflow-steps', {
      repository,
      workflow,
      branch,
      ...period,
      timeZone: query['timeZone'],
    }),
    read<Page<WorkflowRun>>('workflows', { ...name, branchClass: branch, limit: listedRuns }),
    read<WorkflowRunPage>('workflows', { ...name, branchClass: 'default', limit: stateRuns }),
    read<WorkflowFacets>('workflows/facets', started),
    read<Page<Incident>>('incidents', problems),
    read<Page<FailureGroup>>('failure-groups', problems),
  ]);
  return {
    search,
    metrics,
    jobs: byJob.groups,
    steps: steps.items,
    runs: runs.items,
    onDefault,
    people: { ...people, filter: started },
    incidents: incidents.items,
    failures: failures.items,
  };
}

/** Everything about one workflow, read again soon after a change. */
export function useWorkflow(integrationId: string, search: WorkflowSearch) {
  const { repository, workflow } = search;
  useLiveReads({
    integrationId,
    queryKey: ['workflow', integrationId],
    pauseMs,
    concerns: (data) => data.repository === repository && data.workflowName === workflow,
    alsoOn: 'onIncidents',
  });
  return useQuery({
    queryKey: ['workflow', integrationId, search],
    queryFn: ({ signal }) => readWorkflow(integrationId, search, signal),
    refetchInterval: readEvery(askEveryMs),
    placeholderData: (previous) => previous,
  });
}
