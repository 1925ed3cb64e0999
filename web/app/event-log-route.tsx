import { getRouteApi } from '@tanstack/react-router';
import { EventLogPage } from '../event-log/event-log-page.tsx';

const route = getRouteApi('/integrations/$integrationId/event-log');

export function EventLogRoute() {
  const { integrationId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <EventLogPage
      key={integrationId}
      integrationId={integrationId}
      search={search}
      onSearch={(change, isTyping = false) =>
        void navigate({ search: (previous) => ({ ...previous, ...change }), replace: isTyping })
      }
    />
  );
}
