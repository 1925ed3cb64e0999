import { setTimeout as delay } from 'node:timers/promises';
import type { JobFailure, RunFailures } from '#contract/failures/failures.ts';
import { assessmentText } from '#contract/failures/assessment-text.ts';
import type { RunCommits } from '#contract/failures/commits.ts';
import { blameText } from '#contract/failures/blame-text.ts';
import type { WorkflowRunDetail } from '#contract/runs/runs.ts';
import { UsageError, type Command } from '#server/commands/command.ts';
import { clientOptions, openIntegration } from './api.ts';
import { runRow } from './runs.ts';
import { cell, isRed, makeTerminal, type Terminal } from './terminal.ts';

const maxLines = 20;

/** The failed jobs of a run with their steps, error lines and parts of their logs. */
export function whyCommand(env: NodeJS.ProcessEnv): Command {
  return {
    name: 'why',
    summary: 'show why a run failed: jobs, steps, error lines and parts of the log',
    positionals: 'RUN',
    options: clientOptions,
    run: async (values, args) => {
      const [runId, ...others] = args;
      if (runId === undefined || others.length > 0 || !/^\d{1,16}$/.test(runId))
        throw new UsageError('Pass the id of one run, as "forgewatch runs" prints it');
      const { api, path } = await openIntegration(env, values);
      const [{ run }, { items, blame }, commits] = await Promise.all([
        api.get<WorkflowRunDetail>(`${path}/workflows/${runId}`),
        api.get<RunFailures>(`${path}/workflows/${runId}/failures`),
        readCommits(() => api.get<RunCommits>(`${path}/workflows/${runId}/commits`)),
      ]);
      const terminal = makeTerminal(env);
      if (values['json'] === true) {
        terminal.json({ run, failures: items, blame, commits });
        return 0;
      }
      terminal.table([runRow(run)]);
      if (run.url !== null) terminal.line(terminal.paint(cell(run.url, 2000), 'grey'));
      if (items.length === 0) terminal.line(isRed(run) ? 'No failed job was reported.' : 'No job failed.');
      for (const failure of items) printFailure(terminal, failure);
      if (commits.total > 0) printCommits(terminal, commits);
      const cause = blame === null ? undefined : blameText(blame);
      if (cause !== undefined) terminal.line(`\nFirst bad commit: ${cell(cause, 200)}`);
      return 0;
    },
  };
}

const askAgainMs = 500;
const longestMs = 10_000;

/** Waits some seconds for commits that are being read from the forge. */
async function readCommits(read: () => Promise<RunCommits>): Promise<RunCommits> {
  const until = performance.now() + longestMs;
  for (;;) {
    const commits = await read();
    if (commits.state !== 'reading' || performance.now() > until) return commits;
    await delay(askAgainMs);
  }
}

function printCommits(terminal: Terminal, { commits, total }: RunCommits): void {
  terminal.line(`\nCommits since the last green run: ${total}`);
  for (const { sha, title, author, files } of commits.slice(-maxLines)) {
    const by = author === null ? '' : `, ${cell(author, 100)}`;
    terminal.line(`  ${sha.slice(0, 7)} ${cell(title ?? '', 100)}${terminal.paint(by, 'grey')}`);
    for (const file of files ?? [])
      terminal.line(terminal.paint(`          changes ${cell(file, 200)}`, 'red'));
  }
}

const dayOf = (time: string): string => time.slice(0, 10);

function printFailure(terminal: Terminal, failure: JobFailure): void {
  const { job, step, errorLine, excerpts, assessment, url } = failure;
  const at = step === null ? '' : `, step ${step.number}: ${cell(step.name, 100)}`;
  terminal.line('');
  terminal.line(`${cell(job, 100)}${at}`);
  terminal.line(`  ${terminal.paint(cell(errorLine, 500), 'red')}`);
  for (const { spans } of (excerpts[0]?.lines ?? []).slice(-maxLines)) {
    const text = spans.map((span) => span.text).join('');
    terminal.line(terminal.paint(`  | ${cell(text, 500)}`, 'grey'));
  }
  if (assessment !== null) terminal.line(`  ${cell(assessmentText(assessment, dayOf), 200)}`);
  if (url !== null) terminal.line(terminal.paint(`  ${cell(url, 2000)}`, 'grey'));
}
