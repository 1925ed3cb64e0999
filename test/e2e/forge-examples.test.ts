import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { queuedEvents } from '#contract/integrations/integrations.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

interface ExampleSet {
  name: string;
  examples: Record<string, unknown>[];
}

const load = createRequire(import.meta.url);
const forges = ['api.github.com', 'ghes-31', 'ghes-32', 'ghes-33', 'ghes-34', 'ghes-35'];
const { baseUrl, database, createIntegration } = await startTestProgram();

type Example = {
  workflow_run?: Keyed;
  workflow_job?: Keyed & { run_id: number };
  pull_request?: { number: number };
  review?: Keyed;
  repository: { full_name: string };
};
interface Keyed {
  id: number;
}

/** Which row an example must be found in, and the columns that name it. */
const rowOf: Record<string, (example: Example) => [string, string, (string | number)[]]> = {
  workflow_run: ({ workflow_run: run }) => ['workflow_runs', 'run_id = $2', [run?.id ?? 0]],
  workflow_job: ({ workflow_job: job }) => [
    'workflow_jobs',
    'job_id = $2 and run_id = $3',
    [job?.id ?? 0, job?.run_id ?? 0],
  ],
  pull_request: ({ pull_request: pull, repository }) => [
    'pull_requests',
    'number = $2 and repository = $3',
    [pull?.number ?? 0, repository.full_name],
  ],
  pull_request_review: ({ review }) => ['reviews', 'review_id = $2', [review?.id ?? 0]],
};

for (const forge of forges) {
  test(`every example of ${forge} goes through HTTP into its row`, async () => {
    const sets = load(`@octokit/webhooks-examples/${forge}/index.json`) as ExampleSet[];
    const integration = await createIntegration(forge);
    let count = 0;
    for (const { name, examples } of sets.filter((set) =>
      (queuedEvents as readonly string[]).includes(set.name),
    )) {
      for (const example of examples) {
        const { status } = await postWebhook(baseUrl, integration, { event: name, payload: example });
        assert.equal(status, 200);
        count += 1;
        const [table, where, key] = rowOf[name]?.(example as unknown as Example) ?? ['', '', []];
        await waitUntil(`${name} ${key.join('/')} to be stored`, async () => {
          const rows = await database.asOwner(
            `select 1 from ${table} where integration_id = $1 and ${where}`,
            [integration.integrationId, ...key],
          );
          return rows.length === 1;
        });
      }
    }
    assert.ok(count >= 3, `only ${count} examples`);
    const dead = await database.asOwner('select reason, detail from dead_letter where group_id = $1', [
      integration.integrationId,
    ]);
    assert.deepEqual(dead, []);
  });
}
