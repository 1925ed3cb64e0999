import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useRouterState } from '@tanstack/react-router';
import Activity from 'lucide-react/icons/activity';
import UserX from 'lucide-react/icons/user-x';
import { clip } from '../ui/clip.ts';
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
  const removedFrom = useRouterState({ select: ({ location }) => location.state.removedFrom });
  if (removedFrom !== undefined) return <Removed from={removedFrom} />;
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

/** Where somebody is led whose access ended while they were looking. */
function Removed({ from }: { from: string }) {
  return (
    <main>
      <h1 className="sr-only">Forgewatch</h1>
      <Message
        title="You no longer have access"
        icon={<UserX size={24} aria-hidden className="text-muted" />}
      >
        <p className="text-muted">
          You were removed from <bdi>{clip(from, 100)}</bdi>, or it was deleted. Its admins can invite you
          again.
        </p>
        <Link to="/" className="text-accent underline">
          Go to the start
        </Link>
      </Message>
    </main>
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
