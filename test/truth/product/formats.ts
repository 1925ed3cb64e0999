import assert from 'node:assert/strict';
import type { Overview } from '#contract/metrics/overview.ts';
import { readOpenMetrics } from '#test/support/formats/open-metrics.ts';
import type { Tenant } from '#test/support/product/killable-product.ts';

/** An entry of the Atom feed. */
export interface FeedEntry {
  incidentId: string;
  published: string;
  title: string;
  summary: string;
}

/** What other programs read. */
export interface Formats {
  feed: FeedEntry[];
  /** Samples of `metrics.txt` added up: completed attempts, those with the result `success`, and runs by state. */
  counters: { attempts: number; succeeded: number; running: number; waiting: number };
  /** The answer of a tool of the Model Context Protocol. */
  mcpOverview: Overview;
}

export async function readFormats(tenant: Tenant): Promise<Formats> {
  return {
    feed: feedOf(await text(tenant, '/incidents.atom')),
    counters: countersOf(await text(tenant, '/metrics.txt')),
    mcpOverview: await readByMcp(tenant),
  };
}

async function text({ owner, path }: Tenant, rest: string): Promise<string> {
  const answer = await fetch(owner.baseUrl + path(rest), { headers: owner.headers });
  assert.equal(answer.status, 200, rest);
  return answer.text();
}

function feedOf(xml: string): FeedEntry[] {
  return [...xml.matchAll(/<entry>(.*?)<\/entry>/gs)].map(([, entry = '']) => {
    const of = (name: string): string => new RegExp(`<${name}>(.*?)</${name}>`, 's').exec(entry)?.[1] ?? '';
    return {
      incidentId: of('id').replace('urn:uuid:', ''),
      published: of('published'),
      title: of('title'),
      summary: of('summary'),
    };
  });
}

function countersOf(openMetrics: string): Formats['counters'] {
  const samples = readOpenMetrics(openMetrics).flatMap((family) => family.samples);
  const sum = (name: string, label?: string, value?: string): number =>
    samples
      .filter((each) => each.name === name && (label === undefined || each.labels[label] === value))
      .reduce((all, each) => all + each.value, 0);
  const active = 'cicd_pipeline_run_active';
  return {
    attempts: sum('forgewatch_pipeline_runs_total'),
    succeeded: sum('forgewatch_pipeline_runs_total', 'cicd_pipeline_result', 'success'),
    running: sum(active, 'cicd_pipeline_run_state', 'executing'),
    waiting: sum(active, 'cicd_pipeline_run_state', 'pending'),
  };
}

async function readByMcp({ owner, integrationId }: Tenant): Promise<Overview> {
  const { status, body } = await owner.call(
    'POST',
    '/mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_failing_workflows', arguments: { integrationId, range: '90d' } },
    },
    { accept: 'application/json' },
  );
  assert.equal(status, 200, JSON.stringify(body));
  const { content } = body['result'] as { content: { text: string }[] };
  return JSON.parse(content[0]?.text ?? '{}') as Overview;
}
