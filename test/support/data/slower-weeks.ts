import { endOfRun, seconds } from '#test/support/alerts/alert-program.ts';
import { jobPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';

/** Runs of each workflow, one every four hours of two weeks. */
const count = 84;
/** The first run with the change. */
export const changedRun = 60;

interface Part {
  id: number;
  attempt?: number;
  workflow: string;
  job: string;
  conclusion: string;
  takes: number;
  /** Start, in seconds from the time of `seconds`. */
  start: number;
}

function* parts(): Generator<Part> {
  for (let id = 1; id <= count; id += 1) {
    const isNew = id >= changedRun;
    const start = -(count - id) * 4 * 3600 - 1200;
    const takes = (isNew ? 150 : 60) + (id % 5);
    yield { id, workflow: 'CI', job: 'build', conclusion: 'success', takes: 40, start };
    yield { id, workflow: 'CI', job: 'test', conclusion: 'success', takes, start };
    const deploy = { id: 1000 + id, workflow: 'Deploy', job: 'deploy', takes: 30, start };
    const isFlaky = isNew && id % 3 === 0;
    yield { ...deploy, conclusion: isFlaky || (isNew && id % 4 === 0) ? 'failure' : 'success' };
    if (isFlaky) yield { ...deploy, attempt: 2, conclusion: 'success', start: start + 100 };
  }
}

/** Two weeks in which the job `test` became slower, and Deploy began to fail and to pass only on a re-run. */
export async function postSlowerWeeks(
  baseUrl: string,
  integration: Parameters<typeof postWebhook>[1],
): Promise<void> {
  const post = (event: string, payload: object) =>
    postWebhook(baseUrl, integration, { event, payload: payload as Record<string, unknown> });
  for (const { id, attempt = 1, workflow, job, conclusion, takes, start } of parts()) {
    await post(
      'workflow_job',
      jobPayload({
        id: id * 100 + attempt * 10 + job.length,
        run_id: id,
        run_attempt: attempt,
        name: job,
        workflow_name: workflow,
        head_branch: 'main',
        status: 'completed',
        conclusion,
        created_at: seconds(start),
        started_at: seconds(start),
        completed_at: seconds(start + takes),
        steps: [
          stepOf(1, 'Set up job', start, 5),
          stepOf(2, 'Install dependencies', start + 5, 15),
          stepOf(3, `Run ${job}`, start + 20, takes - 20),
        ],
      }),
    );
    await post(
      'workflow_run',
      endOfRun(id, conclusion, start + takes, {
        name: workflow,
        event: 'push',
        run_number: id % 1000,
        run_attempt: attempt,
        head_sha: id.toString(16).padStart(40, 'a'),
        display_title: id === changedRun ? 'Run every browser test twice' : `Change ${id % 1000}`,
        actor: { login: id === changedRun ? 'robin' : 'ann', avatar_url: null },
        html_url: `https://forge.example/acme/site/actions/runs/${id}`,
        created_at: seconds(start - (attempt - 1) * 100),
        run_started_at: seconds(start),
      }),
    );
  }
}

function stepOf(number: number, name: string, start: number, takes: number): object {
  return {
    number,
    name,
    status: 'completed',
    conclusion: 'success',
    started_at: seconds(start),
    completed_at: seconds(start + takes),
  };
}
