import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { lazyPart } from '../../ui/page/lazy-part.tsx';
import { RunsPage } from '../../runs/list/runs-page.tsx';
import type { ChangeFilter } from '../../runs/filter/facet-filter.tsx';

const route = getRouteApi('/integrations/$integrationId/runs');

/** Only new integrations need it. A module shared by two pages would be one more file of both. */
const WaitingForEvents = lazyPart(
  'waiting-for-events',
  'WaitingForEvents',
  () => import('../../integrations/connect/waiting-for-events.tsx'),
);

export function RunsRoute() {
  const { integrationId } = route.useParams();
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const onFilter = useCallback<ChangeFilter>(
    (change, isTyping = false) =>
      void navigate({ search: (previous) => ({ ...previous, ...change }), replace: isTyping }),
    [navigate],
  );
  return (
    <RunsPage
      // The state of one integration must not appear on the page of another.
      key={integrationId}
      integrationId={integrationId}
      filter={filter}
      onFilter={onFilter}
      onReplace={(next) => void navigate({ search: next })}
      waiting={<WaitingForEvents integrationId={integrationId} />}
    />
  );
}
