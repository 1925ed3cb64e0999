import { getRouteApi } from '@tanstack/react-router';
import { InstalledPage } from '../../forge-app/installed-page.tsx';

const route = getRouteApi('/forge-app/installed');

export function InstalledRoute() {
  const { installation_id: installationId, state } = route.useSearch();
  return <InstalledPage installationId={installationId} proof={state} />;
}
