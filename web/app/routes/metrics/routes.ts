import { createRoute } from '@tanstack/react-router';
import { readHealthSearch } from '../../../health/health-search.ts';
import { readQueueSearch } from '../../../jobs/job-search.ts';
import { readMetricsSearch } from '../../../metrics/metrics-search.ts';
import { readOverviewSearch } from '../../../overview/overview-search.ts';
import { lazyPart } from '../../../ui/page/lazy-part.tsx';
import { readChangesSearch } from '../../../what-changed/changes-search.ts';
import { integrationRoute } from '../parent-routes.ts';

const overview = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'overview',
  validateSearch: readOverviewSearch,
  component: lazyPart('overview-route', 'OverviewRoute', () => import('./overview-route.tsx')),
});

const metrics = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'metrics',
  validateSearch: readMetricsSearch,
  component: lazyPart('metrics-route', 'MetricsRoute', () => import('./metrics-route.tsx')),
});

const whatChanged = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'what-changed',
  validateSearch: readChangesSearch,
  component: lazyPart('what-changed-route', 'WhatChangedRoute', () => import('./what-changed-route.tsx')),
});

const health = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'health',
  validateSearch: readHealthSearch,
  component: lazyPart('health-route', 'HealthRoute', () => import('./health-route.tsx')),
});

const queue = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'queue',
  validateSearch: readQueueSearch,
  component: lazyPart('queue-route', 'QueueRoute', () => import('./queue-route.tsx')),
});

export const metricsRoutes = [overview, metrics, whatChanged, health, queue] as const;
