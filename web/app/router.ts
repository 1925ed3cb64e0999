import { createRouter } from '@tanstack/react-router';
import { routeTree } from './routes.ts';
import { BrokenPage, MissingPage } from './shell/error-pages.tsx';
import { parseSearch, stringifySearch } from './search-text.ts';

export const router = createRouter({
  routeTree,
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
