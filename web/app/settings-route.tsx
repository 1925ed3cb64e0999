import { getRouteApi } from '@tanstack/react-router';
import { SettingsPage } from '../integrations/settings-page.tsx';
import { useIntegration } from '../integrations/use-integration.ts';
import { DangerZone } from '../members/danger-zone.tsx';

const route = getRouteApi('/integrations/$integrationId/settings');

export function SettingsRoute() {
  const { integrationId } = route.useParams();
  const integration = useIntegration(integrationId);
  if (integration === undefined) return null;
  return (
    <SettingsPage
      key={integrationId}
      integration={integration}
      danger={<DangerZone integration={integration} />}
    />
  );
}
