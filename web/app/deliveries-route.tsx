import { getRouteApi } from '@tanstack/react-router';
import { Scaffold } from './scaffold.tsx';

const route = getRouteApi('/integrations/$integrationId/deliveries');

export function DeliveriesRoute() {
  const { integrationId } = route.useParams();
  return <Scaffold key={integrationId} title="Deliveries" />;
}
