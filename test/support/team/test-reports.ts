import assert from 'node:assert/strict';
import type { WorkflowRunDetail } from '#contract/runs/runs.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { integrationToken } from '#test/support/identity/token-client.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { answerOf, type Answer, type Team, type TeamProduct } from './team.ts';

export interface ReportedRun {
  id: number;
  sha: string;
}

const hourMs = 3_600_000;
let lastRun = 5000;
export const newRunId = (): number => (lastRun += 1);

export const xml = (...cases: string[]): string => `<testsuite name="cart">${cases.join('')}</testsuite>`;
export const passed = (name: string): string => `<testcase name="${name}" time="0.5"/>`;
export const failed = (name: string, message = 'broken'): string =>
  `<testcase name="${name}" time="1"><failure message="${message}">at cart.ts:1</failure></testcase>`;

/** Runs of a team and the reports of their jobs. */
export function reportSender(product: TeamProduct) {
  const { publicUrl, baseUrl } = product;
  const tokens = new WeakMap<Team, Promise<string>>();
  const tokenOf = (team: Team): Promise<string> => {
    const known = tokens.get(team) ?? integrationToken(product, team, 'reports').then(({ token }) => token);
    tokens.set(team, known);
    return known;
  };
  return {
    /** Posts the events of a run that started some hours ago, and waits until it is stored. */
    async startRun(
      team: Team,
      { hoursAgo = 0, branch = 'main', sha = '', attempt = 1, id = newRunId(), ...facts }: StartedRun = {},
    ): Promise<ReportedRun> {
      const at = new Date(Date.now() - hoursAgo * hourMs).toISOString();
      const headSha = sha || id.toString(16).padStart(40, '0');
      const payload = runPayload({
        id,
        run_attempt: attempt,
        status: 'in_progress',
        head_branch: branch,
        head_sha: headSha,
        created_at: at,
        run_started_at: at,
        updated_at: at,
        ...facts,
      });
      assert.equal((await postWebhook(baseUrl, team, { event: 'workflow_run', payload })).status, 200);
      await waitUntil('the run to be stored', async () => {
        const { status, body } = await team.viewer.call('GET', team.path(`/workflows/${id}`));
        return status === 200 && (body as unknown as WorkflowRunDetail).run.attempt >= attempt;
      });
      return { id, sha: headSha };
    },

    async upload(
      team: Team,
      {
        run,
        attempt = 1,
        forge,
        job = 'unit',
        suite = '',
      }: { run: number; attempt?: number; forge?: string; job?: string; suite?: string },
      body: string | Uint8Array,
      { token = '' } = {},
    ): Promise<Answer> {
      const secret = token || (await tokenOf(team));
      const query = new URLSearchParams({ run: String(run), attempt: String(attempt), job, suite });
      if (forge !== undefined) query.set('forge', forge);
      const response = await fetch(`${publicUrl}${team.path('/test-reports')}?${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/xml' },
        body: typeof body === 'string' ? body : new Uint8Array(body),
      });
      return answerOf(response);
    },
  };
}

interface StartedRun {
  hoursAgo?: number;
  branch?: string;
  sha?: string;
  attempt?: number;
  id?: number;
  /** Other fields of the event. */
  [fact: string]: unknown;
}
