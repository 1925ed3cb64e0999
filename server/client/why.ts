import type { JobFailure, RunFailures } from '#contract/failures/failures.ts';
import { assessmentText } from '#contract/failures/assessment-text.ts';
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
      const [{ run }, { items, blame }] = await Promise.all([
        api.get<WorkflowRunDetail>(`${path}/workflows/${runId}`),
        api.get<RunFailures>(`${path}/workflows/${runId}/failures`),
      ]);
      const terminal = makeTerminal(env);
      if (values['json'] === true) {
        terminal.json({ run, failures: items, blame });
        return 0;
      }
      terminal.table([runRow(run)]);
      if (run.url !== null) terminal.line(terminal.paint(cell(run.url, 2000), 'grey'));
      if (items.length === 0) terminal.line(isRed(run) ? 'No failed job was reported.' : 'No job failed.');
      for (const failure of items) printFailure(terminal, failure);
      const cause = blame === null ? undefined : blameText(blame);
      if (cause !== undefined) terminal.line(`\nFirst bad commit: ${cell(cause, 200)}`);
      return 0;
    },
  };
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
