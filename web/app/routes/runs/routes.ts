import { createRoute } from '@tanstack/react-router';
import { readFailureSearch } from '../../../failures/groups/failure-search.ts';
import { readJobSearch } from '../../../jobs/job-search.ts';
import { readLogSearch } from '../../../job-logs/log-search.ts';
import { readMetricsSearch } from '../../../metrics/metrics-search.ts';
import { readPullRequestSearch, readRepositorySearch } from '../../../pull-requests/pull-request-search.ts';
import { readRunSearch } from '../../../runs/filter/run-search.ts';
import { readRunPageSearch } from '../../../runs/page/run-page-search.ts';
import { readTestSearch } from '../../../test-results/test-search.ts';
import { lazyPart } from '../../../ui/page/lazy-part.tsx';
import { integrationRoute } from '../parent-routes.ts';

const runs = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'runs',
  validateSearch: readRunSearch,
  component: lazyPart('runs-route', 'RunsRoute', () => import('./runs-route.tsx')),
});

const run = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'runs/$runId',
  validateSearch: readRunPageSearch,
  component: lazyPart('run-route', 'RunRoute', () => import('./run-route.tsx')),
});

const log = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'runs/$runId/jobs/$jobId/log',
  validateSearch: readLogSearch,
  component: lazyPart('log-route', 'LogRoute', () => import('./log-route.tsx')),
});

const pullRequests = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'pull-requests',
  validateSearch: readPullRequestSearch,
  component: lazyPart('pull-requests-route', 'PullRequestsRoute', () => import('./pull-requests-route.tsx')),
});

const pullRequest = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'pull-requests/$number',
  validateSearch: readRepositorySearch,
  component: lazyPart('pull-request-route', 'PullRequestRoute', () => import('./pull-request-route.tsx')),
});

const failures = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'failures',
  validateSearch: readFailureSearch,
  component: lazyPart('failures-route', 'FailuresRoute', () => import('./failures-route.tsx')),
});

const failureGroup = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'failures/$groupId',
  component: lazyPart('failure-group-route', 'FailureGroupRoute', () => import('./failure-group-route.tsx')),
});

const tests = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'tests',
  validateSearch: readTestSearch,
  component: lazyPart('tests-route', 'TestsRoute', () => import('./tests-route.tsx')),
});

const testPage = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'tests/$testId',
  component: lazyPart('test-route', 'TestRoute', () => import('./test-route.tsx')),
});

const workflow = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'workflow',
  validateSearch: readMetricsSearch,
  component: lazyPart('workflow-route', 'WorkflowRoute', () => import('./workflow-route.tsx')),
});

const jobs = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'jobs',
  validateSearch: readJobSearch,
  component: lazyPart('jobs-route', 'JobsRoute', () => import('./jobs-route.tsx')),
});

export const runRoutes = [
  runs,
  run,
  log,
  pullRequests,
  pullRequest,
  failures,
  failureGroup,
  tests,
  testPage,
  workflow,
  jobs,
] as const;
