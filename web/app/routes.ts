import { createRoute, type RouteComponent } from '@tanstack/react-router';
import { readInstalledSearch } from '../forge-app/installed-search.ts';
import { StartPage } from '../integrations/start-page.tsx';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { readWallSearch } from '../wallboard/wall-search.ts';
import { readSignInSearch } from './sign-in-search.ts';
import { integrationPage } from './routes/integration-page.tsx';
import { integrationRoute, rootRoute } from './routes/parent-routes.ts';
import { readHealthSearch } from '../health/health-search.ts';
import { readQueueSearch } from '../jobs/job-search.ts';
import { readMetricsSearch } from '../metrics/metrics-search.ts';
import { readOverviewSearch } from '../overview/overview-search.ts';
import { readChangesSearch } from '../what-changed/changes-search.ts';
import { readFailureSearch } from '../failures/groups/failure-search.ts';
import { readJobSearch } from '../jobs/job-search.ts';
import { readLogSearch as readJobLogSearch } from '../job-logs/log-search.ts';
import { readPullRequestSearch, readRepositorySearch } from '../pull-requests/pull-request-search.ts';
import { readRunSearch } from '../runs/filter/run-search.ts';
import { readRunPageSearch } from '../runs/page/run-page-search.ts';
import { readTestSearch } from '../test-results/test-search.ts';
import { readDeadLetterSearch } from '../deliveries/dead-letters/dead-letter-search.ts';
import { readDeliverySearch } from '../deliveries/delivery-search.ts';
import { readLogSearch } from '../event-log/log-search.ts';
import { readNotifySearch } from '../alerts/notify-search.ts';
import { readIncidentSearch } from '../alerts/incidents/incident-search.ts';
import { readTaskSearch } from '../background-work/task-search.ts';
import { readWebhookLogSearch } from '../outgoing-webhooks/log/log-search.ts';

/** A route below that of an integration. Without `validateSearch`, its page has no query parameters. */
function ofIntegration<const Path extends string, Search extends object>(
  path: Path,
  component: RouteComponent,
  validateSearch: (search: Record<string, unknown>) => Search = () => ({}) as Search,
) {
  return createRoute({ getParentRoute: () => integrationRoute, path, component, validateSearch });
}

const pages = [
  createRoute({ getParentRoute: () => rootRoute, path: '/', component: StartPage }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'sign-in',
    validateSearch: readSignInSearch,
    component: lazyPart('sign-in-route', 'SignInRoute', () => import('./routes/sign-in-route.tsx')),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'account',
    component: lazyPart('account-page', 'AccountPage', () => import('../identity/account-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'invitations/accept',
    component: lazyPart('accept-page', 'AcceptPage', () => import('../members/invitations/accept-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'unsubscribe',
    component: lazyPart(
      'unsubscribe-page',
      'UnsubscribePage',
      () => import('../identity/unsubscribe-page.tsx'),
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'forge-app/installed',
    validateSearch: readInstalledSearch,
    component: lazyPart('installed-route', 'InstalledRoute', () => import('./routes/installed-route.tsx')),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'integrations/new',
    component: lazyPart('create-page', 'CreatePage', () => import('../integrations/create-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'wall/$integrationId',
    validateSearch: readWallSearch,
    component: integrationPage('wall-page', 'WallPage', () => import('../wallboard/wall-page.tsx')),
  }),
] as const;

const pagesOfIntegration = [
  ofIntegration(
    'overview',
    lazyPart('overview-route', 'OverviewRoute', () => import('./routes/overview-route.tsx')),
    readOverviewSearch,
  ),
  ofIntegration(
    'metrics',
    integrationPage('metrics-page', 'MetricsPage', () => import('../metrics/metrics-page.tsx')),
    readMetricsSearch,
  ),
  ofIntegration(
    'what-changed',
    integrationPage(
      'what-changed-page',
      'WhatChangedPage',
      () => import('../what-changed/what-changed-page.tsx'),
    ),
    readChangesSearch,
  ),
  ofIntegration(
    'health',
    integrationPage('health-page', 'HealthPage', () => import('../health/health-page.tsx')),
    readHealthSearch,
  ),
  ofIntegration(
    'queue',
    integrationPage('queue-page', 'QueuePage', () => import('../jobs/queue-page.tsx')),
    readQueueSearch,
  ),
  ofIntegration(
    'runs',
    lazyPart('runs-route', 'RunsRoute', () => import('./routes/runs-route.tsx')),
    readRunSearch,
  ),
  ofIntegration(
    'runs/$runId',
    lazyPart('run-route', 'RunRoute', () => import('./routes/run-route.tsx')),
    readRunPageSearch,
  ),
  ofIntegration(
    'runs/$runId/jobs/$jobId/log',
    lazyPart('log-route', 'LogRoute', () => import('./routes/log-route.tsx')),
    readJobLogSearch,
  ),
  ofIntegration(
    'pull-requests',
    integrationPage(
      'pull-requests-page',
      'PullRequestsPage',
      () => import('../pull-requests/pull-requests-page.tsx'),
    ),
    readPullRequestSearch,
  ),
  ofIntegration(
    'pull-requests/$number',
    lazyPart('pull-request-route', 'PullRequestRoute', () => import('./routes/pull-request-route.tsx')),
    readRepositorySearch,
  ),
  ofIntegration(
    'failures',
    integrationPage('failures-page', 'FailuresPage', () => import('../failures/groups/failures-page.tsx')),
    readFailureSearch,
  ),
  ofIntegration(
    'failures/$groupId',
    lazyPart('failure-group-route', 'FailureGroupRoute', () => import('./routes/failure-group-route.tsx')),
  ),
  ofIntegration(
    'tests',
    integrationPage('tests-page', 'TestsPage', () => import('../test-results/tests-page.tsx')),
    readTestSearch,
  ),
  ofIntegration(
    'tests/$testId',
    lazyPart('test-route', 'TestRoute', () => import('./routes/test-route.tsx')),
  ),
  ofIntegration(
    'workflow',
    integrationPage('workflow-page', 'WorkflowPage', () => import('../workflows/workflow-page.tsx')),
    readMetricsSearch,
  ),
  ofIntegration(
    'jobs',
    integrationPage('jobs-page', 'JobsPage', () => import('../jobs/jobs-page.tsx')),
    readJobSearch,
  ),
  ofIntegration(
    'event-log',
    lazyPart('event-log-route', 'EventLogRoute', () => import('./routes/event-log-route.tsx')),
    readLogSearch,
  ),
  ofIntegration(
    'deliveries',
    lazyPart('deliveries-route', 'DeliveriesRoute', () => import('./routes/deliveries-route.tsx')),
    readDeliverySearch,
  ),
  ofIntegration(
    'dead-letters',
    integrationPage(
      'dead-letters-page',
      'DeadLettersPage',
      () => import('../deliveries/dead-letters/dead-letters-page.tsx'),
    ),
    readDeadLetterSearch,
  ),
  ofIntegration(
    'incidents',
    integrationPage(
      'incidents-page',
      'IncidentsPage',
      () => import('../alerts/incidents/incidents-page.tsx'),
    ),
    readIncidentSearch,
  ),
  ofIntegration(
    'rules',
    integrationPage('rules-page', 'RulesPage', () => import('../alerts/rules-page.tsx')),
  ),
  ofIntegration(
    'rules/new',
    lazyPart('rule-route', 'RuleRoute', () => import('./routes/rule-route.tsx')),
    readNotifySearch,
  ),
  ofIntegration(
    'rules/$ruleId',
    lazyPart('rule-route', 'RuleRoute', () => import('./routes/rule-route.tsx')),
  ),
  ofIntegration(
    'members',
    integrationPage('members-page', 'MembersPage', () => import('../members/members-page.tsx')),
  ),
  ofIntegration(
    'settings',
    lazyPart('settings-route', 'SettingsRoute', () => import('./routes/settings-route.tsx')),
  ),
  ofIntegration(
    'settings/webhooks/$receiverId',
    lazyPart('webhook-log-route', 'WebhookLogRoute', () => import('./routes/webhook-log-route.tsx')),
    readWebhookLogSearch,
  ),
  ofIntegration(
    'settings/background-work',
    lazyPart(
      'background-work-route',
      'BackgroundWorkRoute',
      () => import('./routes/background-work-route.tsx'),
    ),
    readTaskSearch,
  ),
  ofIntegration(
    'connect',
    integrationPage('connect-page', 'ConnectPage', () => import('../integrations/connect/connect-page.tsx')),
  ),
] as const;

export const routeTree = rootRoute.addChildren([...pages, integrationRoute.addChildren(pagesOfIntegration)]);
