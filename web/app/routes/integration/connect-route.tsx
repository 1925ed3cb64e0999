import { getRouteApi } from '@tanstack/react-router';
import { ConnectPage } from '../../../integrations/connect/connect-page.tsx';
import { useIntegration } from '../../../integrations/use-integration.ts';

const route = getRouteApi('/integrations/$integrationId/connect');

export function ConnectRoute() {
  const { integrationId } = route.useParams();
  const integration = useIntegration(integrationId);
  return integration && <ConnectPage key={integrationId} integration={integration} />;
}
