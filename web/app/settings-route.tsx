import { getRouteApi } from '@tanstack/react-router';
import { Scaffold } from './scaffold.tsx';

const route = getRouteApi('/integrations/$integrationId/settings');

export function SettingsRoute() {
  const { integrationId } = route.useParams();
  return <Scaffold key={integrationId} title="Settings" />;
}
