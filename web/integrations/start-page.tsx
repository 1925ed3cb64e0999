import { Navigate, useRouterState } from '@tanstack/react-router';
import UserX from 'lucide-react/icons/user-x';
import { clip } from '../ui/text/clip.ts';
import { Failure, Message } from '../ui/page/message.tsx';
import { SkeletonRows } from '../ui/table/skeleton.tsx';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { useIntegrations } from './use-integration.ts';
import { TextLink } from '../ui/text/text-link.tsx';

const opening = <SkeletonRows label="Opening Forgewatch" count={8} />;
const HomePage = lazyPart('home-page', 'HomePage', () => import('../home/home-page.tsx'), opening);

/** Home, or the form to create the first integration. The router loads home before it renders this. */
export const StartPage = Object.assign(Start, { preload: HomePage.preload });

function Start() {
  const { data, error, refetch } = useIntegrations();
  const removedFrom = useRouterState({ select: ({ location }) => location.state.removedFrom });
  if (removedFrom !== undefined) return <Removed from={removedFrom} />;
  if (data === undefined) {
    if (error === null) return opening;
    return (
      <main>
        <h1 className="sr-only">Forgewatch</h1>
        <Failure title="Forgewatch could not be opened" error={error} onRetry={refetch} />
      </main>
    );
  }
  if (data.length > 0) return <HomePage />;
  return (
    <>
      <Navigate to="/integrations/new" replace />
      {opening}
    </>
  );
}

/** Shown when access ended while the integration was open. */
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
        <TextLink to="/">Go to the start page</TextLink>
      </Message>
    </main>
  );
}
