import { getRouteApi } from '@tanstack/react-router';
import { QueuePage } from '../../../jobs/queue-page.tsx';

const route = getRouteApi('/integrations/$integrationId/queue');

export function QueueRoute() {
  const { integrationId } = route.useParams();
  const navigate = route.useNavigate();
  return (
    <QueuePage
      key={integrationId}
      integrationId={integrationId}
      search={route.useSearch()}
      onChange={(search) => void navigate({ search })}
    />
  );
}
