import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { UntilFirstEvent } from '../../../integrations/connect/until-first-event.tsx';
import { RunsPage } from '../../../runs/list/runs-page.tsx';
import type { ChangeFilter } from '../../../runs/filter/runs-toolbar.tsx';

const route = getRouteApi('/integrations/$integrationId/runs');

export function RunsRoute() {
  const { integrationId } = route.useParams();
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const onFilter = useCallback<ChangeFilter>(
    (change, isTyping = false) =>
      void navigate({ search: (previous) => ({ ...previous, ...change }), replace: isTyping }),
    [navigate],
  );
  return (
    <RunsPage
      // The state of one integration must not appear on the page of another.
      key={integrationId}
      integrationId={integrationId}
      filter={filter}
      onFilter={onFilter}
      onReplace={(next) => void navigate({ search: next })}
      waiting={<UntilFirstEvent integrationId={integrationId} />}
    />
  );
}
