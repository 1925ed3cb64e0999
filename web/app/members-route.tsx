import { getRouteApi } from '@tanstack/react-router';
import { Scaffold } from './scaffold.tsx';

const route = getRouteApi('/integrations/$integrationId/members');

export function MembersRoute() {
  const { integrationId } = route.useParams();
  return <Scaffold key={integrationId} title="Members" />;
}
