import { Type, type TObject } from 'typebox';
import { IncidentChange, IncidentQuery } from '#contract/alerts/incidents.ts';
import { Uuid, strictObject } from '#contract/base/schema.ts';
import { FailureGroupQuery, RunFailuresQuery } from '#contract/failures/failures.ts';
import { IntegrationQuery } from '#contract/integrations/integrations.ts';
import { HealthQuery } from '#contract/metrics/health.ts';
import { MetricsQuery } from '#contract/metrics/metrics.ts';
import { OverviewQuery } from '#contract/metrics/overview.ts';
import { QueueQuery } from '#contract/metrics/queue.ts';
import { JobLogLinesQuery, JobLogSearchQuery } from '#contract/failures/job-log.ts';
import { PullRequestDetailQuery, PullRequestQuery } from '#contract/runs/pull-requests.ts';
import { RerunBody } from '#contract/runs/run-actions.ts';
import { WorkflowRunQuery } from '#contract/runs/runs.ts';
import { TestListQuery } from '#contract/tests/tests.ts';

/** A tool is one request to the API, so that it allows what the API allows and nothing else. */
export interface Tool {
  name: string;
  description: string;
  method: 'GET' | 'POST' | 'PATCH';
  /** Names in it, such as `:runId`, are filled from the arguments. The others become the query or the body. */
  path: string;
  input: TObject;
  /** The limit of a list unless the caller names one: rows fill the context of a model. */
  rows?: number;
}

const integration = { integrationId: Uuid };
const run = { ...integration, runId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) };
const job = { ...run, jobId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) };
const base = '/api/integrations/:integrationId';

export const tools: readonly Tool[] = [
  {
    name: 'list_integrations',
    description: 'Lists the integrations that the token may read. Other tools need their integrationId.',
    method: 'GET',
    path: '/api/integrations',
    input: IntegrationQuery,
  },
  {
    name: 'home',
    description:
      'What concerns the owner of the token in all integrations: own failed and running runs, own open pull requests, red default branches, assigned incidents, and one line of health for each integration.',
    method: 'GET',
    path: '/api/home',
    input: strictObject({}),
  },
  {
    name: 'list_failing_workflows',
    description:
      'The health of an integration: workflows that are red on the default branch (attention) with the first failed run and its author, figures compared with the previous period, recent runs of each workflow.',
    method: 'GET',
    path: `${base}/overview`,
    input: strictObject({ ...integration, ...OverviewQuery.properties }),
  },
  {
    name: 'list_incidents',
    description:
      'Workflows that are or were broken on a branch, newest first: since when, failed runs, the first failed job, the first bad commit, and who has acknowledged it or is assigned. Ten unless limit is given.',
    method: 'GET',
    rows: 10,
    path: `${base}/incidents`,
    input: strictObject({ ...integration, ...IncidentQuery.properties }),
  },
  {
    name: 'change_incident',
    description:
      'Acknowledges, assigns, snoozes, closes or reopens an incident, or undoes that. Needs the version that list_incidents returned, and a token that may write.',
    method: 'PATCH',
    path: `${base}/incidents/:incidentId`,
    input: strictObject({ ...integration, incidentId: Uuid, ...IncidentChange.properties }),
  },
  {
    name: 'search_runs',
    description:
      'Finds workflow runs, newest first, by text, branch, workflow, status and time. Failed runs contain the line of the log that explains the failure (errorLine). Ten unless limit is given.',
    method: 'GET',
    rows: 10,
    path: `${base}/workflows`,
    input: strictObject({ ...integration, ...WorkflowRunQuery.properties }),
  },
  {
    name: 'get_run',
    description: 'A workflow run with its attempts, jobs, steps and pull requests.',
    method: 'GET',
    path: `${base}/workflows/:runId`,
    input: strictObject(run),
  },
  {
    name: 'why_run_failed',
    description:
      'The failed jobs of a workflow run with step, error line, log excerpt and an assessment: new, also failing elsewhere, flaky or infrastructure.',
    method: 'GET',
    path: `${base}/workflows/:runId/failures`,
    input: strictObject({ ...run, ...RunFailuresQuery.properties }),
  },
  {
    name: 'list_suspect_commits',
    description:
      'The commits after the last success up to the first failure of a red workflow run with author, title, pull request and the changed files that the errors name. Ask again while state is reading.',
    method: 'GET',
    path: `${base}/workflows/:runId/commits`,
    input: strictObject(run),
  },
  {
    name: 'get_job_log',
    description:
      'The state of the log of a job with its number of lines, its steps and groups, and the numbers of lines that report an error (errorLines).',
    method: 'GET',
    path: `${base}/workflows/:runId/jobs/:jobId/log`,
    input: strictObject(job),
  },
  {
    name: 'read_job_log',
    description: 'Lines of the log of a job, secrets masked, from the number of a line on.',
    method: 'GET',
    path: `${base}/workflows/:runId/jobs/:jobId/log/lines`,
    input: strictObject({ ...job, ...JobLogLinesQuery.properties }),
  },
  {
    name: 'search_job_log',
    description: 'The numbers of the lines of the log of a job that contain a text, in any case.',
    method: 'GET',
    path: `${base}/workflows/:runId/jobs/:jobId/log/search`,
    input: strictObject({ ...job, ...JobLogSearchQuery.properties }),
  },
  {
    name: 'list_failure_groups',
    description: 'Equal failures as groups, with how often and where they occur. Ten unless limit is given.',
    method: 'GET',
    rows: 10,
    path: `${base}/failure-groups`,
    input: strictObject({ ...integration, ...FailureGroupQuery.properties }),
  },
  {
    name: 'get_failure_group',
    description: 'One failure group: newest failures, log excerpt, last green and first red commit.',
    method: 'GET',
    path: `${base}/failure-groups/:groupId`,
    input: strictObject({ ...integration, groupId: Uuid }),
  },
  {
    name: 'list_run_tests',
    description:
      'The failed and flaky tests of a workflow run with message and trace, whether each is new there, and the totals of the test reports.',
    method: 'GET',
    path: `${base}/workflows/:runId/tests`,
    input: strictObject({ ...run, attempt: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })) }),
  },
  {
    name: 'list_tests',
    description:
      'Tests by their last failure, or by failures, lost time or duration of the last 14 days. With state: broken, flaky, slow, new, vanished or healthy. Ten unless limit is given.',
    method: 'GET',
    rows: 10,
    path: `${base}/tests`,
    input: strictObject({ ...integration, ...TestListQuery.properties }),
  },
  {
    name: 'get_test',
    description:
      'The history of one test: its state and since when, passes and failures by day, failures grouped by message, newest failed runs, quarantine.',
    method: 'GET',
    path: `${base}/tests/:testId`,
    input: strictObject({ ...integration, testId: Uuid }),
  },
  {
    name: 'find_pull_requests',
    description:
      'Finds pull requests by number, branch, SHA or title, with the state of their checks. Ten unless limit is given.',
    method: 'GET',
    rows: 10,
    path: `${base}/pull-requests`,
    input: strictObject({ ...integration, ...PullRequestQuery.properties }),
  },
  {
    name: 'get_pull_request_checks',
    description:
      'The checks of the commits of a pull request, why they failed, and for each failed one (verdict) whether it fails on the base branch or in other pull requests too (elsewhere), is flaky, or is new here; which checks the base branch requires; runs of its merge queue.',
    method: 'GET',
    path: `${base}/pull-requests/:number`,
    input: strictObject({
      ...integration,
      number: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      ...PullRequestDetailQuery.properties,
    }),
  },
  {
    name: 'get_metrics',
    description:
      'Durations, queue times, failures and cost by hour or day, by repository, workflow, branch or runner.',
    method: 'GET',
    path: `${base}/metrics`,
    input: strictObject({ ...integration, ...MetricsQuery.properties }),
  },
  {
    name: 'get_health',
    description:
      'How long the default branch of each repository was red, split by what fixed it (commit, re-run, revert), how long recoveries took, pull requests merged while it was red, deployments to production (null when nothing is declared as such) with those that failed and why, and billable and lost minutes with their cost where labels have a price. The newest ten periods unless limit is given.',
    method: 'GET',
    rows: 10,
    path: `${base}/health`,
    input: strictObject({ ...integration, ...HealthQuery.properties }),
  },
  {
    name: 'get_queue',
    description:
      'Which runner labels have waiting jobs now: how many, since when, the usual queue time (p50, p90) of these labels, the jobs that wait longest, and busy runners. Ten rows of each unless limit is given.',
    method: 'GET',
    rows: 10,
    path: `${base}/queue`,
    input: strictObject({ ...integration, ...QueueQuery.properties }),
  },
  {
    name: 'rerun',
    description:
      'Re-runs the failed jobs, all jobs or one job of a workflow run at the forge. Needs a token with the scope write and the role member.',
    method: 'POST',
    path: `${base}/workflows/:runId/rerun`,
    input: strictObject({ ...run, ...RerunBody.properties }),
  },
];

/** The request of a tool with arguments that match its schema. */
export function requestOf(
  { method, path, rows }: Tool,
  given: Readonly<Record<string, unknown>>,
): { method: Tool['method']; url: string; body?: Record<string, unknown> } {
  const limit = rows === undefined ? {} : { limit: rows };
  const rest = new Map(Object.entries({ ...limit, ...given }));
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  if (method !== 'GET') return { method, url: filled, body: Object.fromEntries(rest) };
  const query = new URLSearchParams([...rest].map(([name, value]) => [name, String(value)]));
  return { method, url: query.size === 0 ? filled : `${filled}?${query}` };
}
