import { getRouteApi } from '@tanstack/react-router';
import { WorkflowPage } from '../../../workflows/workflow-page.tsx';

const route = getRouteApi('/integrations/$integrationId/workflow');

export function WorkflowRoute() {
  const { integrationId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <WorkflowPage
      key={JSON.stringify([integrationId, search.repository, search.workflow])}
      integrationId={integrationId}
      search={search}
      onChange={(change) => void navigate({ search: (previous) => ({ ...previous, ...change }) })}
    />
  );
}
