import { getRouteApi } from '@tanstack/react-router';
import { WallPage } from '../../../wallboard/wall-page.tsx';

const route = getRouteApi('/wall/$integrationId');

export function WallRoute() {
  const { integrationId } = route.useParams();
  return <WallPage key={integrationId} integrationId={integrationId} search={route.useSearch()} />;
}
