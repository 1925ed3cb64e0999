import { createRoute } from '@tanstack/react-router';
import { readNotifySearch } from '../../../alerts/notify-search.ts';
import { readIncidentSearch } from '../../../alerts/incidents/incident-search.ts';
import { readTaskSearch } from '../../../background-work/task-search.ts';
import { readWebhookLogSearch } from '../../../outgoing-webhooks/log/log-search.ts';
import { lazyPart } from '../../../ui/page/lazy-part.tsx';
import { integrationRoute } from '../parent-routes.ts';

const rules = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'rules',
  component: lazyPart('rules-route', 'RulesRoute', () => import('./rules-route.tsx')),
});

const incidents = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'incidents',
  validateSearch: readIncidentSearch,
  component: lazyPart('incidents-route', 'IncidentsRoute', () => import('./incidents-route.tsx')),
});

const newRule = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'rules/new',
  validateSearch: readNotifySearch,
  component: lazyPart('rule-route', 'RuleRoute', () => import('./rule-route.tsx')),
});

const rule = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'rules/$ruleId',
  component: lazyPart('rule-route', 'RuleRoute', () => import('./rule-route.tsx')),
});

const members = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'members',
  component: lazyPart('members-route', 'MembersRoute', () => import('./members-route.tsx')),
});

const settings = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'settings',
  component: lazyPart('settings-route', 'SettingsRoute', () => import('./settings-route.tsx')),
});

const webhookLog = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'settings/webhooks/$receiverId',
  validateSearch: readWebhookLogSearch,
  component: lazyPart('webhook-log-route', 'WebhookLogRoute', () => import('./webhook-log-route.tsx')),
});

const backgroundWork = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'settings/background-work',
  validateSearch: readTaskSearch,
  component: lazyPart(
    'background-work-route',
    'BackgroundWorkRoute',
    () => import('./background-work-route.tsx'),
  ),
});

const connect = createRoute({
  getParentRoute: () => integrationRoute,
  path: 'connect',
  component: lazyPart('connect-route', 'ConnectRoute', () => import('./connect-route.tsx')),
});

export const settingsRoutes = [
  incidents,
  rules,
  newRule,
  rule,
  members,
  settings,
  webhookLog,
  backgroundWork,
  connect,
] as const;
