import { getRouteApi } from '@tanstack/react-router';
import { GroupPage } from '../../failures/groups/group-page.tsx';
import { useClose } from '../use-close.ts';

const route = getRouteApi('/integrations/$integrationId/failures/$groupId');

export function FailureGroupRoute() {
  const { integrationId, groupId } = route.useParams();
  const navigate = route.useNavigate();
  const close = useClose(
    () => void navigate({ to: '/integrations/$integrationId/failures', params: { integrationId } }),
  );
  return <GroupPage key={groupId} integrationId={integrationId} groupId={groupId} onClose={close} />;
}
