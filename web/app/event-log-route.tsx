import { getRouteApi } from '@tanstack/react-router';
import { Scaffold } from './scaffold.tsx';

const route = getRouteApi('/integrations/$integrationId/event-log');

export function EventLogRoute() {
  const { integrationId } = route.useParams();
  return <Scaffold key={integrationId} title="Event log" />;
}
