import { getRouteApi } from '@tanstack/react-router';
import { RunPage } from '../../runs/page/run-page.tsx';
import { useClose } from '../use-close.ts';

const route = getRouteApi('/integrations/$integrationId/runs/$runId');

export function RunRoute() {
  const { integrationId, runId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const close = useClose(
    () => void navigate({ to: '/integrations/$integrationId/runs', params: { integrationId } }),
  );
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
