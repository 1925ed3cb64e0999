import { getRouteApi } from '@tanstack/react-router';
import { RulesPage } from '../../../alerts/rules-page.tsx';

const route = getRouteApi('/integrations/$integrationId/rules');

export function RulesRoute() {
  const { integrationId } = route.useParams();
  return <RulesPage key={integrationId} integrationId={integrationId} />;
}
