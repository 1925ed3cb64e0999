import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import type { Team, TeamProduct } from '#test/support/team/team.ts';

/** A moment of the past hour, so many seconds after its begin. */
export const at = (seconds: number): string =>
  new Date(Date.now() - 3_600_000 + seconds * 1000).toISOString();

/** Title, branch, workflow, event, actor and conclusion of each run, all in one repository. */
const runs = [
  ['Fix totals', 'main', 'CI', 'push', 'mira', 'success'],
  ['Break totals', 'main', 'CI', 'push', 'mira', 'failure'],
  ['Bump undici', 'deps', 'CI', 'pull_request', 'robot', 'failure'],
  ['Ship it', 'main', 'Build, test', 'push', 'jonas', 'success'],
] as const;

/** A team with four completed runs. */
export async function teamWithRuns(product: TeamProduct): Promise<Team> {
  const team = await product.newTeam();
  for (const [index, [title, branch, name, event, login, conclusion]] of runs.entries()) {
    const id = index + 1;
    const payload = runPayload({
      id,
      name,
      event,
      conclusion,
      status: 'completed',
      display_title: title,
      head_branch: branch,
      actor: { id, login },
      created_at: at(id),
      updated_at: at(id),
    });
    await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  }
  return team;
}

const rows = (page: Page) => page.getByRole('link', { name: /totals|undici|Ship/ });

/** Waits until the list holds just these runs. */
export async function shows(page: Page, ...titles: string[]): Promise<void> {
  for (const title of titles) await page.getByRole('link', { name: title }).waitFor();
  // The choices of an open filter have counts too.
  const count = page.getByText(titles.length === 1 ? '1 run' : `${titles.length} runs`, { exact: true });
  await count.and(page.locator(':not([role=option] *)')).waitFor();
  // The rows of the previous filter stay dimmed until the new ones load.
  await page.locator('[role=table][aria-busy=false]').waitFor();
  assert.equal(await rows(page).count(), titles.length);
}
