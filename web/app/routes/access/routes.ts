import { createRoute } from '@tanstack/react-router';
import { readInstalledSearch } from '../../../forge-app/installed-search.ts';
import { StartPage } from '../../../integrations/start-page.tsx';
import { lazyPart } from '../../../ui/page/lazy-part.tsx';
import { readWallSearch } from '../../../wallboard/wall-search.ts';
import { readSignInSearch } from '../../sign-in-search.ts';
import { rootRoute } from '../parent-routes.ts';

const start = createRoute({ getParentRoute: () => rootRoute, path: '/', component: StartPage });

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: 'sign-in',
  validateSearch: readSignInSearch,
  component: lazyPart('sign-in-route', 'SignInRoute', () => import('./sign-in-route.tsx')),
});

const account = createRoute({
  getParentRoute: () => rootRoute,
  path: 'account',
  component: lazyPart('account-page', 'AccountPage', () => import('../../../identity/account-page.tsx')),
});

const accept = createRoute({
  getParentRoute: () => rootRoute,
  path: 'invitations/accept',
  component: lazyPart(
    'accept-page',
    'AcceptPage',
    () => import('../../../members/invitations/accept-page.tsx'),
  ),
});

const unsubscribe = createRoute({
  getParentRoute: () => rootRoute,
  path: 'unsubscribe',
  component: lazyPart(
    'unsubscribe-page',
    'UnsubscribePage',
    () => import('../../../identity/unsubscribe-page.tsx'),
  ),
});

const installed = createRoute({
  getParentRoute: () => rootRoute,
  path: 'forge-app/installed',
  validateSearch: readInstalledSearch,
  component: lazyPart('installed-route', 'InstalledRoute', () => import('./installed-route.tsx')),
});

const create = createRoute({
  getParentRoute: () => rootRoute,
  path: 'integrations/new',
  component: lazyPart('create-page', 'CreatePage', () => import('../../../integrations/create-page.tsx')),
});

const wall = createRoute({
  getParentRoute: () => rootRoute,
  path: 'wall/$integrationId',
  validateSearch: readWallSearch,
  component: lazyPart('wall-route', 'WallRoute', () => import('./wall-route.tsx')),
});

export const accessRoutes = [start, signIn, account, accept, unsubscribe, installed, create, wall] as const;
