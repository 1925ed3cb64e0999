import { getRouteApi } from '@tanstack/react-router';
import { Scaffold } from './scaffold.tsx';

const route = getRouteApi('/integrations/$integrationId/dead-letters');

export function DeadLettersRoute() {
  const { integrationId } = route.useParams();
  return <Scaffold key={integrationId} title="Dead letters" />;
}
