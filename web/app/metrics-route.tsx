import { getRouteApi } from '@tanstack/react-router';
import { Scaffold } from './scaffold.tsx';

const route = getRouteApi('/integrations/$integrationId/metrics');

export function MetricsRoute() {
  const { integrationId } = route.useParams();
  return <Scaffold key={integrationId} title="Metrics" />;
}
