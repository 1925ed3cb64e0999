import { postWebhook } from '../forge/post-webhook.ts';
import { jobPayload, runPayload } from './forge-events.ts';

/** A failed job and its run, as payloads of webhooks. */
export interface FailedJobFacts {
  id: number;
  runId?: number;
  attempt?: number;
  branch?: string;
  name?: string;
  step?: string;
  conclusion?: string;
  /** Of the job: seconds ago. */
  ago?: number;
}

const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();

export function failedJob({
  id,
  runId = id,
  attempt = 1,
  branch = 'main',
  name = 'build',
  step = 'Run tests',
  conclusion = 'failure',
  ago: seconds = 60,
}: FailedJobFacts) {
  const steps = [
    { number: 1, name: 'Set up job', status: 'completed', conclusion: 'success' },
    { number: 2, name: step, status: 'completed', conclusion },
  ];
  const url = `https://forge.example.com/acme/site/actions/runs/${runId}`;
  return {
    run: runPayload({
      ...{ id: runId, run_attempt: attempt, run_number: runId, name: 'CI', path: '.github/workflows/ci.yml' },
      ...{ status: 'completed', conclusion, head_branch: branch, display_title: `Change ${runId}` },
      ...{ head_sha: runId.toString(16).padStart(40, '0'), html_url: url, actor: { login: 'ann' } },
      ...{ created_at: ago(seconds + 60), run_started_at: ago(seconds + 60), updated_at: ago(seconds) },
    }),
    job: jobPayload({
      ...{ id, run_id: runId, run_attempt: attempt, name, workflow_name: 'CI', head_branch: branch, steps },
      ...{ status: 'completed', conclusion, html_url: `${url}/job/${id}` },
      ...{ created_at: ago(seconds + 60), started_at: ago(seconds + 50), completed_at: ago(seconds) },
    }),
  };
}

/** Posts the run and the job as the forge does. */
export async function postFailedJob(
  baseUrl: string,
  integration: Parameters<typeof postWebhook>[1],
  facts: FailedJobFacts,
): Promise<void> {
  const { run, job } = failedJob(facts);
  await postWebhook(baseUrl, integration, { event: 'workflow_run', payload: run });
  await postWebhook(baseUrl, integration, { event: 'workflow_job', payload: job });
}
