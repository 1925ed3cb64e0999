import { getRouteApi } from '@tanstack/react-router';
import { Scaffold } from './scaffold.tsx';

const route = getRouteApi('/integrations/$integrationId/rules');

export function RulesRoute() {
  const { integrationId } = route.useParams();
  return <Scaffold key={integrationId} title="Notification rules" />;
}
