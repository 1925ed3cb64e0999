import assert from 'node:assert/strict';
import type { LogEntry } from '#contract/deliveries/event-log.ts';
import type { RunTests } from '#contract/tests/tests.ts';
import { zipOf } from '#server/simulate/sample-forge/sample-artifacts.ts';
import { reportSender, passed, xml } from '#test/support/team/test-reports.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { newRepository, newRun, type ForgeRepositoryState, type TestArtifact } from './forge-repositories.ts';
import { startLinkedProduct } from './linked-team.ts';
import { postWebhook } from './post-webhook.ts';

/** An artifact with one report. */
export const report = (...cases: string[]): Buffer =>
  zipOf([{ name: 'reports/junit.xml', content: Buffer.from(xml(...cases)) }]);

export type ArtifactRun = ReturnType<typeof newRun>;

/** The product beside a forge whose runs have artifacts. */
export async function startArtifactProduct(env: Record<string, string> = {}) {
  const { forge, product, newLinkedTeam } = await startLinkedProduct(env);
  const { database } = product;
  type Team = Awaited<ReturnType<typeof newLinkedTeam>>;
  type Place = Awaited<ReturnType<typeof newRepositoryTeam>>;
  let ids = 9_000;
  let names = 0;

  async function newRepositoryTeam() {
    const repository = newRepository(`octo-org/shop-${(names += 1)}`);
    const team = await newLinkedTeam([repository]);
    await team.provisioned();
    return { repository, team };
  }

  /** A run of some minutes ago, with artifacts that its attempts made. */
  function runWith(
    repository: ForgeRepositoryState,
    artifacts: readonly (Partial<TestArtifact> & { name: string; attempt?: number })[],
    attempts = 1,
  ) {
    const startedAt = Date.now() - 3_600_000;
    const run = newRun(repository, new Date(startedAt), { attempts });
    for (const { attempt = 1, ...artifact } of artifacts)
      repository.artifacts.push({
        id: (ids += 1),
        runId: run.id,
        bytes: report(passed('adds')),
        createdAt: new Date(startedAt + attempt * 100_000 + 30_000),
        ...artifact,
      });
    repository.runs = [run, ...repository.runs];
    return run;
  }

  async function complete({ team, repository }: Place, run: ArtifactRun, attempt = 1) {
    const place = { id: repository.id, full_name: repository.name, default_branch: 'main' };
    const payload = { action: 'completed', workflow_run: run.attempts[attempt - 1], repository: place };
    assert.equal((await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload })).status, 200);
  }

  async function untilLookedAt(team: Team, runId: number, attempt = 1): Promise<void> {
    await waitUntil('the artifacts to be looked at', async () => {
      const [check] = await database.asOwner<{ over: boolean }>(
        `select due_at is null as over from artifact_checks where integration_id = $1 and run_id = $2 and attempt = $3`,
        [team.integrationId, runId, attempt],
      );
      return check?.over === true;
    });
  }

  async function testsOf(team: Team, runId: number, attempt = 1): Promise<RunTests> {
    const path = team.path(`/workflows/${runId}/tests?attempt=${attempt}`);
    return (await team.viewer.call('GET', path)).body as unknown as RunTests;
  }

  async function droppedOf(team: Team): Promise<LogEntry[]> {
    const { body } = await team.viewer.call('GET', team.path('/event-log?type=test_report.dropped'));
    return body['items'] as LogEntry[];
  }

  const downloads = (id: number) =>
    forge.calls.filter((call) => call.endsWith(`/actions/artifacts/${id}/zip`)).length;

  return {
    forge,
    product,
    ...reportSender(product),
    newRepositoryTeam,
    runWith,
    complete,
    untilLookedAt,
    testsOf,
    droppedOf,
    downloads,
  };
}
