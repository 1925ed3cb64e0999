import { getRouteApi } from '@tanstack/react-router';
import { EventLogPage } from '../../event-log/event-log-page.tsx';
import { useClose } from '../use-close.ts';

const route = getRouteApi('/integrations/$integrationId/event-log');

export function EventLogRoute() {
  const { integrationId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const close = useClose(() => void navigate({ search: (previous) => ({ ...previous, open: undefined }) }));
  return (
    <EventLogPage
      key={integrationId}
      integrationId={integrationId}
      search={search}
      onFilter={(change, isTyping = false) =>
        void navigate({ search: (previous) => ({ ...previous, ...change }), replace: isTyping })
      }
      onOpen={(open) =>
        void navigate({
          search: (previous) => ({ ...previous, open }),
          replace: true,
          state: (state) => state,
        })
      }
      onClose={close}
    />
  );
}
