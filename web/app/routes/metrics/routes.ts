import { createRoute } from '@tanstack/react-router';
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

export const metricsRoutes = [overview, metrics, whatChanged] as const;
