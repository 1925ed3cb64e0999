import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { RunsByIntegration } from '#contract/runs/found-runs.ts';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import { getJson } from '../../api/client.ts';
import { queryString } from '../../api/query-string.ts';
import { useIntegrations } from '../../integrations/use-integration.ts';
import { titleOf, workflowOf } from '../../runs/run-texts.ts';
import { StatusIcon } from '../../runs/status-mark.tsx';
import { useSettled } from '../../ui/form/use-settled.ts';
import { clip } from '../../ui/text/clip.ts';
import type { Command, CommandGroup } from './commands.ts';

const shortest = 2;
const freshMs = 10_000;

/** The runs that match the typed text, in one group for each integration of the person. */
export function useFoundRuns(typed: string): { groups: CommandGroup[]; isSearching: boolean } {
  const { integrationId } = useParams({ strict: false });
  const { data: integrations = [] } = useIntegrations();
  const navigate = useNavigate();
  const q = typed.trim().slice(0, 255);
  const settled = useSettled(q);
  const isWanted = q.length >= shortest && settled === q;
  const { data, isFetching } = useQuery({
    queryKey: ['found-runs', integrationId, settled],
    queryFn: ({ signal }) =>
      getJson<RunsByIntegration>(
        `/api/search/runs${queryString({ q: settled, first: integrationId })}`,
        signal,
      ),
    enabled: isWanted,
    staleTime: freshMs,
  });
  const open = ({ integrationId: id, runId }: WorkflowRun): void =>
    void navigate({
      to: '/integrations/$integrationId/runs/$runId',
      params: { integrationId: id, runId: String(runId) },
    });
  const groups = (isWanted ? (data?.items ?? []) : []).map(({ integrationId: id, items, hasMore }) => {
    const label = integrations.find((one) => one.integrationId === id)?.label ?? id;
    const showAll: Command = {
      key: `all runs ${id}`,
      label: `Show all in ${label}`,
      run: () =>
        void navigate({
          to: '/integrations/$integrationId/runs',
          params: { integrationId: id },
          search: { q: settled },
        }),
    };
    const runs = items.map((run) => runCommand(run, () => open(run)));
    return { label: `Runs in ${label}`, items: hasMore ? [...runs, showAll] : runs };
  });
  return { groups, isSearching: q.length >= shortest && (settled !== q || isFetching) };
}

function runCommand(run: WorkflowRun, open: () => void): Command {
  const facts = [workflowOf(run), clip(run.headBranch ?? '', 60)].filter((fact) => fact !== '');
  return {
    key: `run ${run.integrationId} ${run.runId}`,
    icon: <StatusIcon status={run.status} conclusion={run.conclusion} />,
    label: run.runNumber === null ? titleOf(run) : `${titleOf(run)} #${run.runNumber}`,
    kind: facts.join(' · '),
    run: open,
  };
}
