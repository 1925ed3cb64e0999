import assert from 'node:assert/strict';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { Wall } from '#contract/integrations/wallboard.ts';
import type { WorkflowRun, WorkflowRunDetail } from '#contract/runs/runs.ts';
import type { Tenant } from '#test/support/product/killable-product.ts';

/** What the product shows of a world, through its public API. */
export interface Shown {
  runs: WorkflowRun[];
  details: Map<number, WorkflowRunDetail>;
  wall: Wall;
  incidents: Incident[];
}

export async function readShown(tenant: Tenant): Promise<Shown> {
  const runs = await items<WorkflowRun>(tenant, '/workflows');
  const details = new Map<number, WorkflowRunDetail>();
  for (const { runId } of runs)
    details.set(runId, await read<WorkflowRunDetail>(tenant, `/workflows/${runId}`));
  return {
    runs,
    details,
    wall: await read<Wall>(tenant, '/wallboard'),
    incidents: await items<Incident>(tenant, '/incidents'),
  };
}

async function read<Body>({ owner, path }: Tenant, rest: string): Promise<Body> {
  const { status, body } = await owner.call('GET', path(rest));
  assert.equal(status, 200, `${rest} answered ${status} ${JSON.stringify(body)}`);
  return body as Body;
}

/** All pages of a list. */
async function items<Item>(tenant: Tenant, rest: string): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: { items: Item[]; nextCursor: string | null } = await read(
      tenant,
      `${rest}?limit=100${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}
