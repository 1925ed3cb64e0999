import { getRouteApi } from '@tanstack/react-router';
import { FailuresPage } from '../../../failures/groups/failures-page.tsx';

const route = getRouteApi('/integrations/$integrationId/failures');

export function FailuresRoute() {
  const { integrationId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <FailuresPage
      key={integrationId}
      integrationId={integrationId}
      search={search}
      onFilter={(change, isTyping = false) =>
        void navigate({ search: (previous) => ({ ...previous, ...change }), replace: isTyping })
      }
    />
  );
}
