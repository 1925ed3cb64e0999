import { createRoute } from '@tanstack/react-router';
import { readDeadLetterSearch } from '../../../deliveries/dead-letters/dead-letter-search.ts';
import { readDeliverySearch } from '../../../deliveries/delivery-search.ts';
import { readLogSearch } from '../../../event-log/log-search.ts';
import { lazyPart } from '../../../ui/page/lazy-part.tsx';
import { integrationRoute } from '../parent-routes.ts';

const eventLog = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'event-log',
  validateSearch: readLogSearch,
  component: lazyPart('event-log-route', 'EventLogRoute', () => import('./event-log-route.tsx')),
});

const deliveries = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'deliveries',
  validateSearch: readDeliverySearch,
  component: lazyPart('deliveries-route', 'DeliveriesRoute', () => import('./deliveries-route.tsx')),
});

const deadLetters = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'dead-letters',
  validateSearch: readDeadLetterSearch,
  component: lazyPart('dead-letters-route', 'DeadLettersRoute', () => import('./dead-letters-route.tsx')),
});

export const eventRoutes = [eventLog, deliveries, deadLetters] as const;
