import { getRouteApi } from '@tanstack/react-router';
import { MembersPage } from '../../../members/members-page.tsx';

const route = getRouteApi('/integrations/$integrationId/members');

export function MembersRoute() {
  const { integrationId } = route.useParams();
  return <MembersPage key={integrationId} integrationId={integrationId} />;
}
