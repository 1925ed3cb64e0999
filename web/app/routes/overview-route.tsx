import { getRouteApi } from '@tanstack/react-router';
import { lazyPart } from '../../ui/page/lazy-part.tsx';
import { OverviewPage } from '../../overview/overview-page.tsx';
import { defaultRange } from '../../overview/overview-search.ts';

const route = getRouteApi('/integrations/$integrationId/overview');

/** Only new integrations need it. A module shared by two pages would be one more file of both. */
const WaitingForEvents = lazyPart(
  'waiting-for-events',
  'WaitingForEvents',
  () => import('../../integrations/connect/waiting-for-events.tsx'),
);

export function OverviewRoute() {
  const { integrationId } = route.useParams();
  const search = route.useSearch();
  const { range = defaultRange, show } = search;
  const navigate = route.useNavigate();
  return (
    <OverviewPage
      key={integrationId}
      integrationId={integrationId}
      range={range}
      onRange={(chosen) => void navigate({ search: { ...search, range: chosen } })}
      show={show}
      onShow={(chosen) => void navigate({ search: { ...search, show: chosen }, replace: true })}
      waiting={<WaitingForEvents integrationId={integrationId} />}
    />
  );
}
