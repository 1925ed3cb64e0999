import { getRouteApi } from '@tanstack/react-router';
import { UntilFirstEvent } from '../../../integrations/connect/until-first-event.tsx';
import { OverviewPage } from '../../../overview/overview-page.tsx';
import { defaultRange } from '../../../overview/overview-search.ts';

const route = getRouteApi('/integrations/$integrationId/overview');

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
      waiting={<UntilFirstEvent integrationId={integrationId} />}
    />
  );
}
