import { getRouteApi } from '@tanstack/react-router';
import { TestsPage } from '../../../test-results/tests-page.tsx';

const route = getRouteApi('/integrations/$integrationId/tests');

export function TestsRoute() {
  const { integrationId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <TestsPage
      key={integrationId}
      integrationId={integrationId}
      search={search}
      onChange={(change, isTyping = false) =>
        void navigate({ search: (previous) => ({ ...previous, ...change }), replace: isTyping })
      }
    />
  );
}
