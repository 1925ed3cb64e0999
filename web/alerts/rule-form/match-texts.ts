import type { KnownWorkflow, KnownWorkflows } from '#contract/alerts/known-workflows.ts';
import { clip } from '../../ui/text/clip.ts';
import { formatNumber } from '../../ui/locale.ts';

/** The summary gives the number of the others. */
const mostBranches = 3;

/** Shown until the workflows are loaded. */
export function waitingText(error: Error | null): string {
  if (error === null) return 'Looking for workflows that match…';
  return `The matching workflows could not be loaded. ${error.message}`;
}

/** How many of the known workflows match. */
export function matchSummary({ items, counted }: KnownWorkflows, watched: readonly KnownWorkflow[]): string {
  if (items.length === 0) return 'No workflow has run yet. Matching workflows will be listed here.';
  const ofAll = `of the ${items.length} workflows in the newest ${formatNumber(counted)} runs`;
  const count = watched.length === 0 ? 'None' : String(watched.length);
  return `${count} ${ofAll} ${watched.length > 1 ? 'match' : 'matches'}.`;
}

/** The first branches of a workflow that match. */
export function branchText({ branches }: KnownWorkflow): string {
  const names = branches.map((branch) => clip(branch ?? 'no branch', 40));
  const others = names.length - mostBranches;
  return names.slice(0, mostBranches).join(', ') + (others > 0 ? ` and ${others} more` : '');
}
