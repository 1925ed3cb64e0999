import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IntegrationTokens } from '../../api-tokens/integration-tokens.tsx';
import { ForgeAppSection } from '../../forge-app/forge-app-section.tsx';
import { TokenSection } from '../../forge-app/token-section.tsx';
import { BackgroundWorkSection } from '../../background-work/background-work-section.tsx';
import { BadgeSection } from '../../badges/badge-section.tsx';
import { LogAccessSection } from '../../job-logs/log-access-section.tsx';
import { SettingsPage } from '../../integrations/settings/settings-page.tsx';
import { DeploymentSection } from '../../deployments/source-section.tsx';
import { PriceSection } from '../../minute-prices/price-section.tsx';
import { roleReason, useIntegration } from '../../integrations/use-integration.ts';
import { WallboardSection } from '../../wallboard/wallboard-section.tsx';
import { ReportArtifactsSection } from '../../test-results/report-artifacts-section.tsx';
import { lazyPart } from '../../ui/page/lazy-part.tsx';
import { subscriptionsQuery } from '../../outgoing-webhooks/webhook-queries.ts';
import { tracesQuery } from '../../trace-export/trace-queries.ts';
import { DangerZone } from '../../members/danger-zone.tsx';

const TraceSection = lazyPart(
  'trace-section',
  'TraceSection',
  () => import('../../trace-export/trace-section.tsx'),
);

const WebhookSection = lazyPart(
  'webhook-section',
  'WebhookSection',
  () => import('../../outgoing-webhooks/webhook-section.tsx'),
);

/** The page waits for its first reads, so also for these parts and what they read. */
function useParts(integrationId: string, isAdmin: boolean): void {
  useQuery({
    queryKey: ['settings-parts'],
    queryFn: async () => {
      await Promise.all([TraceSection.preload(), WebhookSection.preload()]);
      return true;
    },
    staleTime: Infinity,
  });
  useQuery(subscriptionsQuery(integrationId));
  useQuery({ ...tracesQuery(integrationId), enabled: isAdmin });
}

const route = getRouteApi('/integrations/$integrationId/settings');

export function SettingsRoute() {
  const { integrationId } = route.useParams();
  const integration = useIntegration(integrationId);
  const isAdmin = integration !== undefined && roleReason(integration.role, 'admin') === undefined;
  useParts(integrationId, isAdmin);
  if (integration === undefined) return null;
  const reason = roleReason(integration.role, 'admin');
  const shared = { integrationId, reason };
  return (
    <SettingsPage
      key={integrationId}
      integration={integration}
      reason={reason}
      danger={<DangerZone integration={integration} />}
    >
      <ForgeAppSection {...shared} />
      <TokenSection {...shared} />
      <LogAccessSection {...shared} />
      <ReportArtifactsSection {...shared} />
      <DeploymentSection {...shared} />
      <PriceSection {...shared} />
      <WallboardSection {...shared} />
      <BadgeSection {...shared} />
      {isAdmin && <TraceSection integrationId={integrationId} />}
      <WebhookSection {...shared} />
      <IntegrationTokens {...shared} />
      {isAdmin && <BackgroundWorkSection integrationId={integrationId} />}
    </SettingsPage>
  );
}
