import { getRouteApi } from '@tanstack/react-router';
import { WhatChangedPage } from '../../../what-changed/what-changed-page.tsx';

const route = getRouteApi('/integrations/$integrationId/what-changed');

export function WhatChangedRoute() {
  const { integrationId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <WhatChangedPage
      key={integrationId}
      integrationId={integrationId}
      search={search}
      onChange={(change) => void navigate({ search: (previous) => ({ ...previous, ...change }) })}
    />
  );
}
