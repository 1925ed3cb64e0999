import { getRouteApi } from '@tanstack/react-router';
import { BackgroundWorkPage } from '../../background-work/background-work-page.tsx';
import { useClose } from '../use-close.ts';

const route = getRouteApi('/integrations/$integrationId/settings/background-work');

export function BackgroundWorkRoute() {
  const { integrationId } = route.useParams();
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const leave = useClose(
    () => void navigate({ to: '/integrations/$integrationId/settings', params: { integrationId } }),
  );
  return (
    <BackgroundWorkPage
      key={integrationId}
      integrationId={integrationId}
      filter={filter}
      onFilter={(change) => void navigate({ search: (previous) => ({ ...previous, ...change }) })}
      onLeave={leave}
    />
  );
}
