import { getRouteApi } from '@tanstack/react-router';
import { WebhookLogPage } from '../../outgoing-webhooks/log/webhook-log-page.tsx';
import { useClose } from '../use-close.ts';

const route = getRouteApi('/integrations/$integrationId/settings/webhooks/$receiverId');

export function WebhookLogRoute() {
  const { integrationId, receiverId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const close = useClose(() => void navigate({ search: (previous) => ({ ...previous, open: undefined }) }));
  const leave = useClose(
    () => void navigate({ to: '/integrations/$integrationId/settings', params: { integrationId } }),
  );
  return (
    <WebhookLogPage
      key={receiverId}
      integrationId={integrationId}
      receiverId={receiverId}
      search={search}
      onFilter={(change) => void navigate({ search: (previous) => ({ ...previous, ...change }) })}
      onOpen={(open) =>
        void navigate({ search: (previous) => ({ ...previous, open }), state: { isFromList: true } })
      }
      onClose={close}
      onLeave={leave}
    />
  );
}
