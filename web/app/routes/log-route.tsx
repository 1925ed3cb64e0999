import { getRouteApi } from '@tanstack/react-router';
import { LogPage } from '../../job-logs/log-page.tsx';
import { useClose } from '../use-close.ts';

const route = getRouteApi('/integrations/$integrationId/runs/$runId/jobs/$jobId/log');

export function LogRoute() {
  const path = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { integrationId, runId, jobId } = path;
  const close = useClose(
    () =>
      void navigate({
        to: '/integrations/$integrationId/runs/$runId',
        params: { integrationId, runId },
        search: { job: Number(jobId) },
      }),
  );
  return (
    <LogPage
      key={jobId}
      path={path}
      search={search}
      onSearch={(next) =>
        void navigate({ search: next, replace: true, resetScroll: false, state: (state) => state })
      }
      onClose={close}
    />
  );
}
