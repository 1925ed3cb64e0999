import { createRootRoute, createRoute } from '@tanstack/react-router';
import { Broken, NotFound } from '../shell/error-pages.tsx';
import { Layout } from '../shell/layout.tsx';
import { Root } from '../shell/root.tsx';

export const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: NotFound,
  errorComponent: Broken,
});

export const integrationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/integrations/$integrationId',
  component: Layout,
});
