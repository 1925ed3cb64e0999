import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import Activity from 'lucide-react/icons/activity';
import { CopyText } from '../ui/copy-text.tsx';
import { Failure, Message } from '../ui/message.tsx';
import { integrationsQuery } from './integrations-query.ts';
import { lastIntegration } from './last-integration.ts';

const askEveryMs = 3_000;

/** The first page: opens the integration that was open last, or says how the first one is made. */
export function StartPage() {
  const { data, error, refetch } = useQuery({
    ...integrationsQuery,
    refetchInterval: ({ state }) => state.data?.length === 0 && askEveryMs,
  });
  if (data === undefined) {
    if (error === null) return null;
    return (
      <main>
        <Failure title="Forgewatch could not be opened" error={error} onRetry={() => void refetch()} />
      </main>
    );
  }
  const last = lastIntegration();
  const chosen = data.find(({ integrationId }) => integrationId === last) ?? data[0];
  if (chosen === undefined) return <NoIntegration />;
  return (
    <Navigate
      to="/integrations/$integrationId/runs"
      params={{ integrationId: chosen.integrationId }}
      replace
    />
  );
}

function NoIntegration() {
  return (
    <main>
      <h1 className="sr-only">Forgewatch</h1>
      <Message
        title="Make the first integration"
        icon={<Activity size={24} aria-hidden className="text-accent" />}
      >
        <p className="text-muted">
          An integration is what a team watches together: it has a webhook URL and a secret of its own. Run
          this where Forgewatch runs; it prints both. This page changes by itself.
        </p>
        <div className="w-full text-left">
          <CopyText name="command" text={'npx forgewatch integration create --label "My team"'} />
        </div>
      </Message>
    </main>
  );
}
