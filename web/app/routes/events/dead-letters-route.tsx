import { getRouteApi } from '@tanstack/react-router';
import { DeadLettersPage } from '../../../deliveries/dead-letters/dead-letters-page.tsx';

const route = getRouteApi('/integrations/$integrationId/dead-letters');

export function DeadLettersRoute() {
  const { integrationId } = route.useParams();
  const { messageId } = route.useSearch();
  return <DeadLettersPage key={integrationId} integrationId={integrationId} messageId={messageId} />;
}
