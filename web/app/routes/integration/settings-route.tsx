import { getRouteApi } from '@tanstack/react-router';
import { IntegrationTokens } from '../../../api-tokens/integration-tokens.tsx';
import { ForgeAppSection } from '../../../forge-app/forge-app-section.tsx';
import { TokenSection } from '../../../forge-app/token-section.tsx';
import { BackgroundWorkSection } from '../../../background-work/background-work-section.tsx';
import { BadgeSection } from '../../../badges/badge-section.tsx';
import { LogAccessSection } from '../../../job-logs/log-access-section.tsx';
import { SettingsPage } from '../../../integrations/settings/settings-page.tsx';
import { PriceSection } from '../../../minute-prices/price-section.tsx';
import { roleReason, useIntegration } from '../../../integrations/use-integration.ts';
import { WallboardSection } from '../../../wallboard/wallboard-section.tsx';
import { ReportArtifactsSection } from '../../../test-results/report-artifacts-section.tsx';
import { lazyPart } from '../../../ui/page/lazy-part.tsx';
import { DangerZone } from '../../../members/danger-zone.tsx';

const TraceSection = lazyPart(
  'trace-section',
  'TraceSection',
  () => import('../../../trace-export/trace-section.tsx'),
);

const WebhookSection = lazyPart(
  'webhook-section',
  'WebhookSection',
  () => import('../../../outgoing-webhooks/webhook-section.tsx'),
);

const route = getRouteApi('/integrations/$integrationId/settings');

export function SettingsRoute() {
  const { integrationId } = route.useParams();
  const integration = useIntegration(integrationId);
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
      <PriceSection {...shared} />
      <WallboardSection {...shared} />
      <BadgeSection {...shared} />
      {reason === undefined && <TraceSection integrationId={integrationId} />}
      <WebhookSection {...shared} />
      <IntegrationTokens {...shared} />
      {reason === undefined && <BackgroundWorkSection integrationId={integrationId} />}
    </SettingsPage>
  );
}
