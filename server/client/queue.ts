import { isLongWait, type LabelQueue, type OpenJob, type Queue } from '#contract/metrics/queue.ts';
import type { Command } from '#server/commands/command.ts';
import { clientOptions, openIntegration } from './api.ts';
import { cell, duration, makeTerminal, type Cell } from './terminal.ts';

/** Which jobs wait for a runner, and against what is usual. */
export function queueCommand(env: NodeJS.ProcessEnv): Command {
  return {
    name: 'queue',
    summary: 'show which runner labels have waiting jobs, since when, and how long they usually wait',
    options: {
      runner: {
        type: 'string',
        value: 'LABELS',
        help: 'jobs of these labels only, such as "linux, self-hosted"',
      },
      ...clientOptions,
    },
    run: async (values) => {
      const { api, path } = await openIntegration(env, values);
      const runner = typeof values['runner'] === 'string' ? { runner: values['runner'] } : undefined;
      const queue = await api.get<Queue>(`${path}/queue`, { ...runner, limit: '20' });
      const terminal = makeTerminal(env);
      if (values['json'] === true) {
        terminal.json(queue);
        return 0;
      }
      const { waiting, running, held, busyRunners, isCut } = queue;
      terminal.line(
        `${isCut ? 'at least ' : ''}${waiting} waiting for a runner, ${running} running, ${busyRunners} busy runners, ${held} held for an approval or another job`,
      );
      for (const rows of [queue.labels.map(labelRow), queue.waitingJobs.map(jobRow)]) {
        if (rows.length > 0) terminal.line('');
        terminal.table(rows);
      }
      return 0;
    },
  };
}

const waited = (since: string): string => duration(Math.max(0, Date.now() - Date.parse(since)));

function labelRow(labels: LabelQueue): Cell[] {
  const { runner, waiting, running, since, usual } = labels;
  const times = [
    `usually ${duration(usual.p50 ?? 0)}`,
    ...(usual.p90 === null ? [] : [`p90 ${duration(usual.p90)}`]),
  ];
  return [
    { text: cell(runner || 'no labels', 60) },
    { text: `${waiting} waiting` },
    {
      text: since === null ? '' : `for ${waited(since)}`,
      colour: isLongWait(labels, Date.now()) ? 'red' : undefined,
    },
    { text: `${running} running`, colour: 'grey' },
    {
      text: usual.p50 === null ? 'usual wait not known' : `${times.join(', ')}, of ${usual.count}`,
      colour: 'grey',
    },
  ];
}

function jobRow({ since, name, repository, workflow, runner, runId }: OpenJob): Cell[] {
  return [
    { text: waited(since) },
    { text: cell(name, 40) },
    { text: cell(`${repository} ${workflow}`, 60), colour: 'grey' },
    { text: cell(runner, 40), colour: 'grey' },
    { text: String(runId), colour: 'grey' },
  ];
}
