import { getRouteApi } from '@tanstack/react-router';
import { PullRequestsPage } from '../../../pull-requests/pull-requests-page.tsx';

const route = getRouteApi('/integrations/$integrationId/pull-requests');

export function PullRequestsRoute() {
  const { integrationId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <PullRequestsPage
      key={integrationId}
      integrationId={integrationId}
      search={search}
      onFilter={(change, isTyping = false) =>
        void navigate({ search: (previous) => ({ ...previous, ...change }), replace: isTyping })
      }
    />
  );
}
