import { Type } from 'typebox';
import { Uuid } from '#contract/base/schema.ts';
import {
  DeploymentKey,
  DeploymentMarkBody,
  DeploymentSource,
  DeploymentSourceBody,
  DeploymentSourcePage,
} from '#contract/metrics/deployments.ts';
import { route, type Route } from '#server/route.ts';
import { markDeployment } from './mark-deployment.ts';
import { declareSource, readSources, removeSource, type DeploymentDeps } from './sources.ts';

const base = '/api/integrations/:integrationId';
const keyParams = Type.Object({ integrationId: Uuid, deploymentKey: DeploymentKey });

export function deploymentRoutes(deps: DeploymentDeps): Route[] {
  return [
    route('GET', `${base}/deployment-sources`, {
      access: { role: 'viewer' },
      summary:
        'List the environments and workflows that are declared as production, and the environments that may be',
      answer: { schema: DeploymentSourcePage },
      handle: ({ params: { integrationId } }) =>
        deps.db.withScope({ integrationId }, (tx) => readSources(tx, integrationId)),
    }),
    route('POST', `${base}/deployment-sources`, {
      access: { role: 'admin' },
      summary: 'Declare an environment, a workflow or one of its jobs as production: its deployments count',
      body: DeploymentSourceBody,
      errors: ['not_found', 'conflict'],
      answer: { status: 201, schema: DeploymentSource },
      handle: ({ actor, body }) => declareSource(deps, actor, body),
    }),
    route('DELETE', `${base}/deployment-sources/:sourceId`, {
      access: { role: 'admin' },
      summary: 'No longer count the deployments of an environment, workflow or job',
      answer: { status: 204 },
      handle: ({ actor, params: { sourceId } }) => removeSource(deps, actor, sourceId),
    }),
    route('PUT', `${base}/deployments/:deploymentKey/mark`, {
      access: { role: 'member' },
      summary: 'Say whether a deployment failed, whatever the rules say',
      params: keyParams,
      body: DeploymentMarkBody,
      answer: { status: 204 },
      handle: ({ actor, params: { deploymentKey }, body }) =>
        markDeployment(deps, actor, deploymentKey, body.hasFailed),
    }),
    route('DELETE', `${base}/deployments/:deploymentKey/mark`, {
      access: { role: 'member' },
      summary: 'Let the rules judge a deployment again',
      params: keyParams,
      answer: { status: 204 },
      handle: ({ actor, params: { deploymentKey } }) => markDeployment(deps, actor, deploymentKey, undefined),
    }),
  ];
}
