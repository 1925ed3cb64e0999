import assert from 'node:assert/strict';
import type { LogEntry } from '#contract/deliveries/event-log.ts';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { Wall } from '#contract/integrations/wallboard.ts';
import type { Metrics } from '#contract/metrics/metrics.ts';
import type { Overview } from '#contract/metrics/overview.ts';
import type { WorkflowRun, WorkflowRunDetail } from '#contract/runs/runs.ts';
import type { Tenant } from '#test/support/product/killable-product.ts';
import { readFormats, type Formats } from './formats.ts';

/** A project of CCTray's XML. */
interface Project {
  repository: string;
  workflow: string;
  activity: string;
  status: string;
  runId: number | null;
}

interface ShownBadge {
  repository: string;
  workflow: string;
  message: string;
}

/** What the product shows of a world, through its public API. */
export interface Shown {
  runs: WorkflowRun[];
  details: Map<number, WorkflowRunDetail>;
  wall: Wall;
  cctray: Project[];
  badges: ShownBadge[];
  overview: Overview;
  metrics: Metrics;
  byWorkflow: Metrics;
  byJob: Metrics;
  incidents: Incident[];
  /** Entries of the event log about runs that failed. */
  failedRuns: LogEntry[];
  formats: Formats;
}

/** The figures are those of the time from `from` on. */
export async function readShown(tenant: Tenant, from: number): Promise<Shown> {
  const runs = await items<WorkflowRun>(tenant, '/workflows');
  const details = new Map<number, WorkflowRunDetail>();
  for (const { runId } of runs)
    details.set(runId, await read<WorkflowRunDetail>(tenant, `/workflows/${runId}`));
  // A forge's clock may be ahead.
  const [begin, end] = [from, Date.now() + 2 * 3_600_000].map((ms) => new Date(ms).toISOString());
  const span = `/metrics?from=${begin}&to=${end}&granularity=day`;
  return {
    runs,
    details,
    wall: await read<Wall>(tenant, '/wallboard'),
    cctray: await readCctray(tenant, runs),
    badges: await readBadges(tenant, runs),
    overview: await read<Overview>(tenant, '/overview?range=90d'),
    metrics: await read<Metrics>(tenant, span),
    byWorkflow: await read<Metrics>(tenant, `${span}&groupBy=workflow`),
    byJob: await read<Metrics>(tenant, `${span}&groupBy=job`),
    incidents: await items<Incident>(tenant, '/incidents'),
    failedRuns: await items<LogEntry>(tenant, '/event-log', 'type=run.failed&limit=100'),
    formats: await readFormats(tenant),
  };
}

async function readCctray({ owner, path }: Tenant, runs: readonly WorkflowRun[]): Promise<Project[]> {
  const text = await (await fetch(owner.baseUrl + path('/cctray.xml'), { headers: owner.headers })).text();
  return [...text.matchAll(/<Project ([^>]*)\/>/g)].map(([, attributes = '']) => {
    const of = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
    const named = runs.find(({ repository, workflowName }) => `${repository} ${workflowName}` === of('name'));
    const run = /\/runs\/(\d+)$/.exec(of('webUrl'))?.[1];
    return {
      repository: named?.repository ?? of('name'),
      workflow: named?.workflowName ?? '',
      activity: of('activity'),
      status: of('lastBuildStatus'),
      runId: run === undefined ? null : Number(run),
    };
  });
}

/** Makes the badge of each workflow public, where it is not, and reads it without an account. */
async function readBadges(tenant: Tenant, runs: readonly WorkflowRun[]): Promise<ShownBadge[]> {
  const { owner, path } = tenant;
  interface Made {
    repository: string;
    workflow: string;
    endpointUrl: string;
  }
  const made = await items<Made>(tenant, '/badges');
  for (const { repository, workflowName: workflow } of runs) {
    if (workflow === null) continue;
    if (made.some((badge) => badge.repository === repository && badge.workflow === workflow)) continue;
    const { status, body } = await owner.call('POST', path('/badges'), { repository, workflow });
    assert.equal(status, 201, JSON.stringify(body));
    made.push(body as unknown as Made);
  }
  return Promise.all(
    made.map(async ({ repository, workflow, endpointUrl }) => {
      const answer = (await (await fetch(endpointUrl)).json()) as { message: string };
      return { repository, workflow, message: answer.message };
    }),
  );
}

async function read<Body>({ owner, path }: Tenant, rest: string): Promise<Body> {
  const { status, body } = await owner.call('GET', path(rest));
  assert.equal(status, 200, `${rest} answered ${status} ${JSON.stringify(body)}`);
  return body as Body;
}

/** All pages of a list. */
async function items<Item>(tenant: Tenant, rest: string, query = ''): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { items: Item[]; nextCursor: string | null } = await read(tenant, `${rest}?${query}${next}`);
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}
