import { getRouteApi, useRouter } from '@tanstack/react-router';
import { RunPage } from '../../runs/page/run-page.tsx';

const route = getRouteApi('/integrations/$integrationId/runs/$runId');

export function RunRoute() {
  const { integrationId, runId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { history } = useRouter();
  const close = (): void => {
    if (history.location.state.isFromList && history.canGoBack()) history.back();
    else void navigate({ to: '/integrations/$integrationId/runs', params: { integrationId } });
  };
  return (
    <RunPage
      key={runId}
      integrationId={integrationId}
      runId={runId}
      search={search}
      // Navigation inside a run is one history step, so that going back leaves the run.
      onSearch={(next) => void navigate({ search: next, replace: true, state: (state) => state })}
      onClose={close}
    />
  );
}
