import type { JobLog } from '#contract/failures/job-log.ts';
import type { WorkflowRunDetail } from '#contract/runs/runs.ts';
import { numberOption, UsageError, type Command } from '#server/commands/command.ts';
import { clientOptions, openIntegration } from './api.ts';
import { cell, makeTerminal } from './terminal.ts';

const missingTexts = {
  end: 'The forge stopped before the end of the log. Try again in a minute.',
  limit: 'The rest is left out: the log is longer than 100 MiB or 5,000,000 lines.',
} as const;

/** The whole log of a job. */
export function logCommand(env: NodeJS.ProcessEnv): Command {
  return {
    name: 'log',
    summary: 'print the log of a job, with secrets masked',
    positionals: 'RUN JOB',
    options: {
      from: { type: 'string', value: 'N', help: 'begin at this line' },
      ...clientOptions,
      json: { type: 'boolean', help: 'print its state, steps and error lines as JSON instead' },
    },
    run: async (values, args) => {
      const [runId, job, ...others] = args;
      if (runId === undefined || !/^\d{1,16}$/.test(runId) || job === undefined || others.length > 0)
        throw new UsageError('Pass the id of a run, and the id or name of one of its jobs');
      const from = numberOption(values, 'from', { fallback: 1, min: 1, max: 5_000_000 });
      const { api, path } = await openIntegration(env, values);
      const { jobs } = await api.get<WorkflowRunDetail>(`${path}/workflows/${runId}`);
      const found = jobs.findLast(({ jobId, name }) => String(jobId) === job || name === job);
      if (found === undefined) {
        const names = [...new Set(jobs.map(({ name }) => `  ${cell(name, 100)}`))];
        throw new Error(['The run has no such job. It has:', ...names].join('\n'));
      }
      const log = `${path}/workflows/${runId}/jobs/${found.jobId}/log`;
      const terminal = makeTerminal(env);
      if (values['json'] === true) {
        terminal.json(await api.get<JobLog>(log));
        return 0;
      }
      terminal.text(await api.text(`${log}/text`, { from: String(Math.floor(from)) }));
      const { missing } = await api.get<JobLog>(log);
      if (missing !== null) process.stderr.write(`${missingTexts[missing]}\n`);
      return missing === null ? 0 : 1;
    },
  };
}
