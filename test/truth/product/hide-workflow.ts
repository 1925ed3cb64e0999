import assert from 'node:assert/strict';
import type { WorkflowRunDetail } from '#contract/runs/runs.ts';
import type { Tenant } from '#test/support/product/killable-product.ts';
import { workflowKey } from '../model/states.ts';
import type { Delivery, RunFact } from '../world/facts.ts';

/** Hides a workflow by the name that its runs are shown with. One without a run cannot be hidden. */
export async function hideWorkflow(
  { owner, path }: Tenant,
  workflow: Pick<RunFact, 'repository' | 'workflow'>,
  posts: readonly Delivery[],
): Promise<void> {
  const run = posts.find(({ fact }) => fact.kind === 'run' && workflowKey(fact) === workflowKey(workflow));
  if (run?.fact.kind !== 'run') return;
  const { status, body } = await owner.call('GET', path(`/workflows/${run.fact.runId}`));
  if (status !== 200) throw new Error(`the run is not shown: ${status}`);
  const {
    run: { repository, workflowName },
  } = body as unknown as WorkflowRunDetail;
  const hidden = await owner.call('POST', path('/hidden-workflows'), { repository, workflow: workflowName });
  if (hidden.status === 503) throw new Error('the product is about to end');
  assert.equal(hidden.status, 201, JSON.stringify(hidden.body));
}
