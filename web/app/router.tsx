import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
  type ErrorComponentProps,
} from '@tanstack/react-router';
import { StartPage } from '../integrations/start-page.tsx';
import { readRunPageSearch } from '../monitoring/run-page-search.ts';
import { readRunSearch } from '../monitoring/run-search.ts';
import { Failure, Message } from '../ui/message.tsx';
import { Layout } from './layout.tsx';
import { RunsRoute } from './runs-route.tsx';
import { parseSearch, stringifySearch } from './search-text.ts';

const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: Broken });

const start = createRoute({ getParentRoute: () => root, path: '/', component: StartPage });

const integration = createRoute({
  getParentRoute: () => root,
  path: '/integrations/$integrationId',
  component: Layout,
});

const runs = createRoute({
  getParentRoute: () => integration,
  path: 'runs',
  validateSearch: readRunSearch,
  component: RunsRoute,
});

const run = createRoute({
  getParentRoute: () => integration,
  path: 'runs/$runId',
  validateSearch: readRunPageSearch,
  component: lazyRouteComponent(() => import('./run-route.tsx'), 'RunRoute'),
});

function NotFound() {
  return (
    <main>
      <Message title="There is no such page">
        <Link to="/" className="text-accent underline">
          Go to the start
        </Link>
      </Message>
    </main>
  );
}

/** A new version may have replaced the files of this one: loading the page again then helps. */
function Broken({ error }: ErrorComponentProps) {
  const shown = error instanceof Error ? error : new Error(String(error));
  return (
    <main>
      <Failure title="This page broke" error={shown} onRetry={() => location.reload()} />
    </main>
  );
}

export const router = createRouter({
  routeTree: root.addChildren([start, integration.addChildren([runs, run])]),
  parseSearch,
  stringifySearch,
  // Without it, what `validateSearch` leaves out would come through all the same.
  search: { strict: true },
  scrollRestoration: true,
  defaultErrorComponent: Broken,
  defaultNotFoundComponent: NotFound,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }

  interface HistoryState {
    /** Going back leads to the list as it was left. */
    isFromList?: boolean;
    /** The name of an integration that was open when access to it ended. */
    removedFrom?: string;
  }
}
