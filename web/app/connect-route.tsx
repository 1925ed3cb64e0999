import { getRouteApi } from '@tanstack/react-router';
import { Scaffold } from './scaffold.tsx';

const route = getRouteApi('/integrations/$integrationId/connect');

export function ConnectRoute() {
  const { integrationId } = route.useParams();
  return <Scaffold key={integrationId} title="Connect" />;
}
