import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { signOut } from '../../identity/sign-out.ts';
import { toast } from '../../ui/dialog/toast.ts';
import { useMayCreate } from '../../identity/use-user.ts';
import { useIntegrations } from '../../integrations/use-integration.ts';
import { knownWorkflowsQuery } from '../../alerts/rule-page/sentence/use-known-workflows.ts';
import { only } from '#contract/base/value-list.ts';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import { usePullRequestHits } from '../../pull-requests/use-pull-request-hits.ts';
import { viewsQuery } from '../../saved-views/views-query.ts';
import { useSettled } from '../../ui/form/use-settled.ts';
import { clip } from '../../ui/text/clip.ts';
import { useTheme } from '../../ui/theme/theme.ts';
import type { Command } from './commands.ts';
import { pages } from '../shell/pages.ts';

/** The commands available on the current page. This integration comes first. What loads late comes last, so that it moves little. */
export function useCommands(typed: string): Command[] {
  const { integrationId } = useParams({ strict: false });
  const inIntegration = useIntegrationCommands(integrationId);
  const loaded = useLoadedCommands(integrationId);
  const search = useSearchCommand(integrationId, typed.trim());
  const pullRequests = usePullRequestCommands(integrationId, typed.trim());
  const others = useOtherIntegrations(integrationId);
  const mayCreate = useMayCreate();
  const navigate = useNavigate();
  const [, setTheme] = useTheme();
  return [
    ...inIntegration,
    ...(mayCreate === true
      ? [
          {
            key: 'new',
            label: 'Create an integration…',
            run: () => void navigate({ to: '/integrations/new' }),
          },
        ]
      : []),
    {
      key: 'home',
      label: 'Go to home',
      ...(integrationId !== undefined && { keys: 'g h' }),
      run: () => void navigate({ to: '/' }),
    },
    { key: 'account', label: 'Go to my account', run: () => void navigate({ to: '/account' }) },
    {
      key: 'sign-out',
      label: 'Sign out',
      run: () =>
        void signOut({ everywhere: false, revokesTokens: false }).catch((error: Error) =>
          toast(error.message),
        ),
    },
    { key: 'light', label: 'Light theme', run: () => setTheme('light') },
    { key: 'dark', label: 'Dark theme', run: () => setTheme('dark') },
    { key: 'system', label: 'System theme', run: () => setTheme('system') },
    ...others,
    ...loaded,
    ...search,
    ...pullRequests,
  ];
}

function useOtherIntegrations(integrationId: string | undefined): Command[] {
  const navigate = useNavigate();
  const { data: integrations = [] } = useIntegrations();
  return integrations
    .filter((one) => one.integrationId !== integrationId)
    .map(({ integrationId: id, label }) => ({
      key: `integration ${id}`,
      label,
      kind: 'integration',
      run: () =>
        void navigate({ to: '/integrations/$integrationId/overview', params: { integrationId: id } }),
    }));
}

/** Searches the list of runs for the typed text. */
function useSearchCommand(integrationId: string | undefined, typed: string): Command[] {
  const navigate = useNavigate();
  if (integrationId === undefined || typed === '') return [];
  const [params, search] = [{ integrationId }, { q: typed }];
  return [
    {
      key: `search ${typed}`,
      label: `Search runs for “${typed}”`,
      run: () => void navigate({ to: '/integrations/$integrationId/runs', params, search }),
    },
  ];
}

/** Pull requests with the typed number, branch, SHA or title. */
function usePullRequestCommands(integrationId: string | undefined, typed: string): Command[] {
  const navigate = useNavigate();
  const found = usePullRequestHits(integrationId, useSettled(typed));
  if (integrationId === undefined || typed === '') return [];
  return found.map(({ repository, number, title }) => ({
    key: `pull request ${repository} ${number}`,
    label: clip(`#${number} ${title ?? ''}`, 100),
    kind: 'pull request',
    isFound: true,
    run: () =>
      void navigate({
        to: '/integrations/$integrationId/pull-requests/$number',
        params: { integrationId, number: String(number) },
        search: { repository },
      }),
  }));
}

function useIntegrationCommands(integrationId: string | undefined): Command[] {
  const navigate = useNavigate();
  const showRuns = useShowRuns(integrationId ?? '');
  if (integrationId === undefined) return [];
  const params = { integrationId };
  const goTo = pages.map(({ to, label, letter }) => ({
    key: to,
    label: `Go to ${label.toLowerCase()}`,
    keys: `g ${letter}`,
    run: () => void navigate({ to, params }),
  }));
  return [
    ...goTo,
    { key: 'failed', label: 'Show failed runs', run: () => showRuns({ conclusion: 'failure' }) },
    { key: 'running', label: 'Show running', run: () => showRuns({ status: 'in_progress' }) },
    {
      key: 'connect',
      label: 'Connect a repository…',
      run: () => void navigate({ to: '/integrations/$integrationId/connect', params }),
    },
  ];
}

function useLoadedCommands(integrationId: string | undefined): Command[] {
  const showRuns = useShowRuns(integrationId ?? '');
  const isInside = integrationId !== undefined;
  const { data: known } = useQuery({ ...knownWorkflowsQuery(integrationId ?? ''), enabled: isInside });
  const { data: views = [] } = useQuery({ ...viewsQuery(integrationId ?? ''), enabled: isInside });
  const workflows = known?.items.filter(({ workflow }) => workflow !== null) ?? [];
  return [
    ...views.map(({ viewId, name, filter }) => ({
      key: `view ${viewId}`,
      label: name,
      kind: 'view',
      run: () => showRuns(filter),
    })),
    ...workflows.map(({ repository, workflow }) => ({
      key: `workflow ${repository} ${workflow}`,
      label: workflow ?? '',
      kind: `workflow of ${repository}`,
      run: () => showRuns({ repository: only(repository), workflow: only(workflow ?? '') }),
    })),
  ];
}

function useShowRuns(integrationId: string): (search: RunFilter) => void {
  const navigate = useNavigate();
  return (search) =>
    void navigate({ to: '/integrations/$integrationId/runs', params: { integrationId }, search });
}
