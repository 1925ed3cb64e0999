import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { readDeadLetterSearch } from '../deliveries/dead-letters/dead-letter-search.ts';
import { readDeliverySearch } from '../deliveries/delivery-search.ts';
import { readLogSearch } from '../event-log/log-search.ts';
import { readFailureSearch } from '../failures/groups/failure-search.ts';
import { readInstalledSearch } from '../forge-app/installed-search.ts';
import { StartPage } from '../integrations/start-page.tsx';
import { readWebhookLogSearch } from '../outgoing-webhooks/log/log-search.ts';
import { readPullRequestSearch, readRepositorySearch } from '../pull-requests/pull-request-search.ts';
import { readJobSearch } from '../jobs/job-search.ts';
import { readMetricsSearch } from '../metrics/metrics-search.ts';
import { readRunPageSearch } from '../runs/page/run-page-search.ts';
import { readRunSearch } from '../runs/filter/run-search.ts';
import { readOverviewSearch } from '../overview/overview-search.ts';
import { readChangesSearch } from '../what-changed/changes-search.ts';
import { readWallSearch } from '../wallboard/wall-search.ts';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { Broken, BrokenPage, MissingPage, NotFound } from './shell/error-pages.tsx';
import { Layout } from './shell/layout.tsx';
import { Root } from './shell/root.tsx';
import { RunsRoute } from './routes/runs-route.tsx';
import { parseSearch, stringifySearch } from './search-text.ts';
import { readSignInSearch } from './sign-in-search.ts';

const root = createRootRoute({ component: Root, notFoundComponent: NotFound, errorComponent: Broken });

const start = createRoute({ getParentRoute: () => root, path: '/', component: StartPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in',
  validateSearch: readSignInSearch,
  component: lazyPart('sign-in-route', 'SignInRoute', () => import('./routes/sign-in-route.tsx')),
});

const account = createRoute({
  getParentRoute: () => root,
  path: 'account',
  component: lazyPart('account-page', 'AccountPage', () => import('../identity/account-page.tsx')),
});

const accept = createRoute({
  getParentRoute: () => root,
  path: 'invitations/accept',
  component: lazyPart('accept-page', 'AcceptPage', () => import('../members/accept-page.tsx')),
});

const unsubscribe = createRoute({
  getParentRoute: () => root,
  path: 'unsubscribe',
  component: lazyPart(
    'unsubscribe-page',
    'UnsubscribePage',
    () => import('../identity/unsubscribe-page.tsx'),
  ),
});

const installed = createRoute({
  getParentRoute: () => root,
  path: 'forge-app/installed',
  validateSearch: readInstalledSearch,
  component: lazyPart('installed-route', 'InstalledRoute', () => import('./routes/installed-route.tsx')),
});

const create = createRoute({
  getParentRoute: () => root,
  path: 'integrations/new',
  component: lazyPart('create-page', 'CreatePage', () => import('../integrations/create-page.tsx')),
});

const wall = createRoute({
  getParentRoute: () => root,
  path: 'wall/$integrationId',
  validateSearch: readWallSearch,
  component: lazyPart('wall-route', 'WallRoute', () => import('./routes/wall-route.tsx')),
});

const integration = createRoute({
  getParentRoute: () => root,
  path: '/integrations/$integrationId',
  component: Layout,
});

const inIntegration = { getParentRoute: () => integration };

const runs = createRoute({
  ...inIntegration,
  path: 'runs',
  validateSearch: readRunSearch,
  component: RunsRoute,
});

const run = createRoute({
  ...inIntegration,
  path: 'runs/$runId',
  validateSearch: readRunPageSearch,
  component: lazyPart('run-route', 'RunRoute', () => import('./routes/run-route.tsx')),
});

const pullRequests = createRoute({
  ...inIntegration,
  path: 'pull-requests',
  validateSearch: readPullRequestSearch,
  component: lazyPart(
    'pull-requests-route',
    'PullRequestsRoute',
    () => import('./routes/pull-requests-route.tsx'),
  ),
});

const pullRequest = createRoute({
  ...inIntegration,
  path: 'pull-requests/$number',
  validateSearch: readRepositorySearch,
  component: lazyPart(
    'pull-request-route',
    'PullRequestRoute',
    () => import('./routes/pull-request-route.tsx'),
  ),
});

const jobs = createRoute({
  ...inIntegration,
  path: 'jobs',
  validateSearch: readJobSearch,
  component: lazyPart('jobs-route', 'JobsRoute', () => import('./routes/jobs-route.tsx')),
});

const failures = createRoute({
  ...inIntegration,
  path: 'failures',
  validateSearch: readFailureSearch,
  component: lazyPart('failures-route', 'FailuresRoute', () => import('./routes/failures-route.tsx')),
});

const failureGroup = createRoute({
  ...inIntegration,
  path: 'failures/$groupId',
  component: lazyPart(
    'failure-group-route',
    'FailureGroupRoute',
    () => import('./routes/failure-group-route.tsx'),
  ),
});

const overview = createRoute({
  ...inIntegration,
  path: 'overview',
  validateSearch: readOverviewSearch,
  component: lazyPart('overview-route', 'OverviewRoute', () => import('./routes/overview-route.tsx')),
});

const eventLog = createRoute({
  ...inIntegration,
  path: 'event-log',
  validateSearch: readLogSearch,
  component: lazyPart('event-log-route', 'EventLogRoute', () => import('./routes/event-log-route.tsx')),
});

const deliveries = createRoute({
  ...inIntegration,
  path: 'deliveries',
  validateSearch: readDeliverySearch,
  component: lazyPart('deliveries-route', 'DeliveriesRoute', () => import('./routes/deliveries-route.tsx')),
});

const deadLetters = createRoute({
  ...inIntegration,
  path: 'dead-letters',
  validateSearch: readDeadLetterSearch,
  component: lazyPart(
    'dead-letters-route',
    'DeadLettersRoute',
    () => import('./routes/dead-letters-route.tsx'),
  ),
});

const metrics = createRoute({
  ...inIntegration,
  path: 'metrics',
  validateSearch: readMetricsSearch,
  component: lazyPart('metrics-route', 'MetricsRoute', () => import('./routes/metrics-route.tsx')),
});

const workflow = createRoute({
  ...inIntegration,
  path: 'workflow',
  validateSearch: readMetricsSearch,
  component: lazyPart('workflow-route', 'WorkflowRoute', () => import('./routes/workflow-route.tsx')),
});

const whatChanged = createRoute({
  ...inIntegration,
  path: 'what-changed',
  validateSearch: readChangesSearch,
  component: lazyPart(
    'what-changed-route',
    'WhatChangedRoute',
    () => import('./routes/what-changed-route.tsx'),
  ),
});

const rules = createRoute({
  ...inIntegration,
  path: 'rules',
  component: lazyPart('rules-route', 'RulesRoute', () => import('./routes/rules-route.tsx')),
});

const newRule = createRoute({
  ...inIntegration,
  path: 'rules/new',
  component: lazyPart('rule-route', 'RuleRoute', () => import('./routes/rule-route.tsx')),
});

const rule = createRoute({
  ...inIntegration,
  path: 'rules/$ruleId',
  component: lazyPart('rule-route', 'RuleRoute', () => import('./routes/rule-route.tsx')),
});

const members = createRoute({
  ...inIntegration,
  path: 'members',
  component: lazyPart('members-route', 'MembersRoute', () => import('./routes/members-route.tsx')),
});

const settings = createRoute({
  ...inIntegration,
  path: 'settings',
  component: lazyPart('settings-route', 'SettingsRoute', () => import('./routes/settings-route.tsx')),
});

const webhookLog = createRoute({
  ...inIntegration,
  path: 'settings/webhooks/$receiverId',
  validateSearch: readWebhookLogSearch,
  component: lazyPart('webhook-log-route', 'WebhookLogRoute', () => import('./routes/webhook-log-route.tsx')),
});

const connect = createRoute({
  ...inIntegration,
  path: 'connect',
  component: lazyPart('connect-route', 'ConnectRoute', () => import('./routes/connect-route.tsx')),
});

const ofIntegration = [
  overview,
  runs,
  run,
  pullRequests,
  pullRequest,
  failures,
  failureGroup,
  eventLog,
  deliveries,
  deadLetters,
  metrics,
  whatChanged,
  workflow,
  jobs,
  rules,
  newRule,
  rule,
  members,
  settings,
  webhookLog,
  connect,
] as const;

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    signIn,
    account,
    accept,
    unsubscribe,
    installed,
    create,
    wall,
    integration.addChildren([...ofIntegration]),
  ]),
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
