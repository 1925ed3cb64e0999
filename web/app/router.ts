import { createRouter } from '@tanstack/react-router';
import { accessRoutes } from './routes/access/routes.ts';
import { eventRoutes } from './routes/events/routes.ts';
import { settingsRoutes } from './routes/integration/routes.ts';
import { metricsRoutes } from './routes/metrics/routes.ts';
import { integrationRoute, rootRoute } from './routes/parent-routes.ts';
import { runRoutes } from './routes/runs/routes.ts';
import { BrokenPage, MissingPage } from './shell/error-pages.tsx';
import { parseSearch, stringifySearch } from './search-text.ts';

const ofIntegration = [...metricsRoutes, ...runRoutes, ...eventRoutes, ...settingsRoutes] as const;

export const router = createRouter({
  routeTree: rootRoute.addChildren([...accessRoutes, integrationRoute.addChildren([...ofIntegration])]),
  parseSearch,
  stringifySearch,
  // Without this, parameters dropped by `validateSearch` would be forwarded.
  search: { strict: true },
  scrollRestoration: true,
  defaultErrorComponent: BrokenPage,
  defaultNotFoundComponent: MissingPage,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }

  interface HistoryState {
    /** Whether going back restores the list. */
    isFromList?: boolean;
    /** The label of the open integration when access ended. */
    removedFrom?: string;
  }
}
