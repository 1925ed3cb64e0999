import { getRouteApi } from '@tanstack/react-router';
import { PullRequestPage } from '../../pull-requests/page/pull-request-page.tsx';
import { useClose } from '../use-close.ts';

const route = getRouteApi('/integrations/$integrationId/pull-requests/$number');

export function PullRequestRoute() {
  const { integrationId, number } = route.useParams();
  const { repository } = route.useSearch();
  const navigate = route.useNavigate();
  const close = useClose(
    () => void navigate({ to: '/integrations/$integrationId/pull-requests', params: { integrationId } }),
  );
  return (
    <PullRequestPage
      key={`${repository ?? ''} ${number}`}
      integrationId={integrationId}
      number={number}
      repository={repository}
      onClose={close}
    />
  );
}
