import { getRouteApi } from '@tanstack/react-router';
import { JobsPage } from '../../../jobs/jobs-page.tsx';

const route = getRouteApi('/integrations/$integrationId/jobs');

export function JobsRoute() {
  const { integrationId } = route.useParams();
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <JobsPage
      key={integrationId}
      integrationId={integrationId}
      filter={filter}
      onChange={(change) => void navigate({ search: (previous) => ({ ...previous, ...change }) })}
    />
  );
}
