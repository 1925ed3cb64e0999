import assert from 'node:assert/strict';
import type { Delivery, DeliveryDetail, DeliveryPage } from '#contract/deliveries/deliveries.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import type { ProcessRole } from '#server/role-deps.ts';
import type { CookieClient } from '#test/support/identity/cookie-client.ts';
import { signInAsOwner } from '#test/support/identity/owner-client.ts';
import { at, jobPayload, pullRequestPayload, runPayload } from '../forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTestProgram, type TestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

export interface DeliveryReader {
  program: TestProgram;
  integration: CreatedIntegration;
  browser: CookieClient;
  /** An address of the integration, or of another one. */
  url(path: string, integrationId?: string): string;
  /** What an address of the integration answers. */
  read<T>(path: string): Promise<T>;
  /** Posts as the forge does and waits for the verdict. */
  post(event: string, payload: object | string, forgeDeliveryId: string): Promise<Delivery>;
  settled(forgeDeliveryId: string): Promise<Delivery>;
  /** The newest delivery of that id of the forge. */
  verdictOf(forgeDeliveryId: string): Promise<Delivery | undefined>;
}

/** The whole product, an integration in it, and its owner who looks at what the forge sent. */
export async function startDeliveryReader(
  roles?: readonly ProcessRole[],
  env: NodeJS.ProcessEnv = {},
): Promise<DeliveryReader> {
  const program = await startTestProgram(env, roles);
  const owner = await signInAsOwner(program.publicUrl);
  const integration = await program.createIntegration();
  const url = (path: string, id = integration.integrationId) =>
    `${program.publicUrl}/api/integrations/${id}/${path}`;
  const read = <T>(path: string): Promise<T> => owner.read<T>(integration.integrationId, `/${path}`);
  const verdictOf = async (id: string): Promise<Delivery | undefined> => {
    const { items } = await read<DeliveryPage>(`deliveries?q=${id}`);
    return items.find(({ forgeDeliveryId }) => forgeDeliveryId === id);
  };
  const settled = (id: string): Promise<Delivery> =>
    waitUntil(`${id} is settled`, async () => {
      const item = await verdictOf(id);
      return item !== undefined && item.verdict !== 'waiting' && item.verdict !== 'processing' && item;
    });
  const post = async (event: string, payload: object | string, deliveryId: string): Promise<Delivery> => {
    const answer = await postWebhook(program.baseUrl, integration, { event, payload, deliveryId });
    assert.equal(answer.status, 200);
    return settled(deliveryId);
  };
  return { program, integration, browser: owner.browser, url, read, post, settled, verdictOf };
}

/** Its steps from the one given on, each with its outcome. */
export function outcomesOf({ steps }: DeliveryDetail, from = 0): string[] {
  return steps.slice(from).map(({ step, outcome }) => `${step} ${outcome}`);
}

/** Nobody can store it. */
export const brokenJob = { ...jobPayload(), workflow_job: { id: 'x' } };

/** A run, a state of it that comes late, a pull request, and a job that nobody can store. */
export async function postOneOfEach({ post }: DeliveryReader): Promise<void> {
  const done = { status: 'completed', conclusion: 'success', updated_at: at(60) };
  await post('workflow_run', runPayload({ ...done, display_title: 'Secret plan' }), 'run-done');
  await post('workflow_run', runPayload({ status: 'in_progress', updated_at: at(30) }), 'run-late');
  await post('pull_request', pullRequestPayload(), 'pull');
  await post('workflow_job', brokenJob, 'broken');
}
