import { generateKeyPairSync } from 'node:crypto';
import { eventExamples } from './examples/events.ts';
import type { Examples } from './examples/example.ts';
import { integrationExamples } from './examples/integration.ts';
import { personExamples } from './examples/people.ts';
import { runExamples } from './examples/runs.ts';

/** Settings with which every route can be called with its example. */
export function routeEnv() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    FORGE_APP_ID: '1',
    FORGE_APP_PRIVATE_KEY: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    FORGE_APP_SLUG: 'forgewatch-test',
    // The owner of all teams is the same person.
    INTEGRATIONS_PER_PERSON: '1000',
  };
}

/** One valid call for each route with a session. A missing one fails the route test. */
export const examples: Examples = {
  ...personExamples,
  ...integrationExamples,
  ...runExamples,
  ...eventExamples,
};

/** Routes without a session. A new one must be added here deliberately. */
export const openRoutes = [
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'GET /config.json',
  'GET /api/auth/callback',
  'POST /api/auth/refresh',
  'POST /api/auth/logout',
  'GET /api/auth/cognito/.well-known/openid-configuration',
  'GET /api/auth/cognito/.well-known/jwks.json',
  'GET /api/auth/cognito/authorize',
  'GET /api/auth/cognito/callback',
  'GET /api/auth/cognito/token',
  'POST /api/auth/cognito/token',
  'GET /api/auth/cognito/userinfo',
  'POST /api/auth/cognito/userinfo',
  'GET /api/auth/cognito/user',
  'POST /api/auth/cognito/user',
  'GET /api/shared-wallboard',
  'POST /mcp',
  'GET /mcp',
  'DELETE /mcp',
  'GET /badge/:badgeId.svg',
  'GET /badge/:badgeId.json',
  'POST /api/import/:integrationId',
  'POST /api/job/:integrationId/test-reports',
  'GET /api/job/:integrationId/quarantine.json',
  'POST /api/forge/webhook',
  'GET /api/unsubscribe',
  'POST /api/unsubscribe',
];
