import { getRouteApi } from '@tanstack/react-router';
import { DeliveriesPage } from '../../deliveries/deliveries-page.tsx';
import { useClose } from '../use-close.ts';

const route = getRouteApi('/integrations/$integrationId/deliveries');

export function DeliveriesRoute() {
  const { integrationId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const close = useClose(() => void navigate({ search: (previous) => ({ ...previous, open: undefined }) }));
  return (
    <DeliveriesPage
      key={integrationId}
      integrationId={integrationId}
      search={search}
      onFilter={(change, isTyping = false) =>
        void navigate({ search: (previous) => ({ ...previous, ...change }), replace: isTyping })
      }
      onOpen={(open) =>
        void navigate({ search: (previous) => ({ ...previous, open }), state: { isFromList: true } })
      }
      onClose={close}
    />
  );
}
