import { getRouteApi } from '@tanstack/react-router';
import { Scaffold } from './scaffold.tsx';

const route = getRouteApi('/integrations/$integrationId/overview');

export function OverviewRoute() {
  const { integrationId } = route.useParams();
  return <Scaffold key={integrationId} title="Overview" />;
}
