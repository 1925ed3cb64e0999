import { UsageError, numberOption, type Command } from '#server/commands/command.ts';
import { parseSearch } from '#contract/runs/run-search.ts';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import { clientOptions, openIntegration } from './api.ts';
import { followRuns } from './follow-runs.ts';
import { runRow } from './runs.ts';
import { isRed, makeTerminal, outcomeCell, type Terminal } from './terminal.ts';

/** Workflows of one commit start one after the other. */
const settleMs = 5_000;

export function watchCommand(env: NodeJS.ProcessEnv): Command {
  return {
    name: 'watch',
    summary: 'print runs as they change; with --commit until they are completed, failing if one failed',
    options: {
      commit: { type: 'string', value: 'SHA', help: 'only runs of this commit, 7 to 64 hexadecimal digits' },
      timeout: { type: 'string', value: 'MINUTES', help: 'give up after this time (default: 60)' },
      ...clientOptions,
    },
    run: async (values) => {
      const { commit } = values;
      if (commit !== undefined && !/^[0-9a-f]{7,64}$/i.test(String(commit)))
        throw new UsageError('--commit takes 7 to 64 hexadecimal digits');
      const minutes = numberOption(values, 'timeout', { fallback: 60, max: 10_000 });
      const opened = await openIntegration(env, values);
      const terminal = makeTerminal(env);
      const print = printer(terminal, values['json'] === true);
      const signal = AbortSignal.timeout(minutes * 60_000);
      if (commit === undefined) {
        await followRuns(opened, { signal, query: {}, onRun: print });
        return 0;
      }
      return watchCommit(opened, String(commit).toLowerCase(), { signal, print, terminal });
    },
  };
}

/** Prints a run when its outcome changes. */
function printer(terminal: Terminal, isJson: boolean): (run: WorkflowRun) => void {
  const shown = new Map<number, string>();
  return (run) => {
    const state = `${run.attempt} ${outcomeCell(run).text}`;
    if (shown.get(run.runId) === state) return;
    shown.delete(run.runId);
    shown.set(run.runId, state);
    if (shown.size > 10_000) shown.delete(shown.keys().next().value ?? 0);
    if (isJson) terminal.json(run);
    else terminal.table([runRow(run)]);
  };
}

async function watchCommit(
  opened: Awaited<ReturnType<typeof openIntegration>>,
  commit: string,
  { signal, print, terminal }: { signal: AbortSignal; print: (run: WorkflowRun) => void; terminal: Terminal },
): Promise<number> {
  const runs = new Map<number, WorkflowRun>();
  const done = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const isComplete = (): boolean =>
    runs.size > 0 && [...runs.values()].every(({ status }) => status === 'completed');
  if (terminal.isTty) process.stderr.write(`Waiting for the runs of ${commit.slice(0, 12)}\n`);
  await followRuns(opened, {
    signal: AbortSignal.any([signal, done.signal]),
    // Newer runs must not hide those of the commit. A SHA without a digit is searched as a word of the text.
    query: parseSearch(commit).kind === 'text' ? {} : { q: commit },
    onRun: (run) => {
      if (run.headSha?.toLowerCase().startsWith(commit) !== true) return;
      runs.set(run.runId, run);
      print(run);
      clearTimeout(timer);
      if (isComplete()) timer = setTimeout(() => done.abort(), settleMs);
    },
  });
  clearTimeout(timer);
  if (!isComplete()) {
    process.stderr.write(
      runs.size === 0
        ? 'No run of this commit was reported in time.\n'
        : 'The runs did not complete in time.\n',
    );
    return 1;
  }
  return [...runs.values()].some(isRed) ? 1 : 0;
}
