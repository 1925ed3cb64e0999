import type { Health, RedPeriod } from '#contract/metrics/health.ts';
import type { Cost } from '#contract/metrics/minute-prices.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { numberOption, type Command } from '#server/commands/command.ts';
import { clientOptions, openIntegration } from './api.ts';
import { cell, duration, makeTerminal, type Cell } from './terminal.ts';

/** How long the default branch was red, and how it was fixed. */
export function healthCommand(env: NodeJS.ProcessEnv): Command {
  const text = { type: 'string', value: 'TEXT' } as const;
  return {
    name: 'health',
    summary:
      'show how long the default branch was red, how it was fixed, what was merged meanwhile and billable minutes',
    options: {
      days: { type: 'string', value: 'N', help: 'of the last days, at most 92 (default: 30)' },
      repository: { ...text, help: 'only of this repository, such as octo/shop' },
      branch: { ...text, help: 'of this branch (default: the default branch)' },
      ...clientOptions,
    },
    run: async (values) => {
      const days = Math.floor(numberOption(values, 'days', { fallback: 30, min: 1, max: 92 }));
      const { api, path } = await openIntegration(env, values);
      const optional = (name: string) =>
        typeof values[name] === 'string' ? { [name]: values[name] } : undefined;
      const health = await api.get<Health>(`${path}/health`, {
        from: new Date(Date.now() - (days - 1) * dayMs).toISOString(),
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        ...optional('repository'),
        ...optional('branch'),
        limit: '10',
      });
      const terminal = makeTerminal(env);
      if (values['json'] === true) terminal.json(health);
      else {
        terminal.table([...branchFacts(health), ...deploymentFacts(health), ...minuteFacts(health)]);
        if (health.main.periods.length > 0) terminal.line('');
        terminal.table(health.main.periods.map(periodRow));
      }
      return 0;
    },
  };
}

const row = (name: string, value: string, note = ''): Cell[] => [
  { text: name },
  { text: value },
  { text: note, colour: 'grey' },
];

function minuteFacts({ minutes: { total, costs, lost } }: Health): Cell[][] {
  if (total === null) return [row('Billable minutes', 'no data')];
  const share = (minutes: number) => `${((minutes / Math.max(1, total)) * 100).toFixed(1)} %`;
  return [
    row('Billable minutes', String(total)),
    ...costs.map((cost) => row('  cost', money(cost), `of ${cost.minutes} min`)),
    ...lost
      .filter(({ runs }) => runs > 0)
      .map(({ kind, minutes, costs: lostCosts }) =>
        row(
          `  lost: ${lostNames[kind]}`,
          `${minutes} min`,
          [share(minutes), ...lostCosts.map((cost) => `${money(cost)} of ${cost.minutes} min`)].join(', '),
        ),
      ),
  ];
}

function deploymentFacts({ deployments }: Health): Cell[][] {
  if (deployments === null) return [row('Deployments', 'nothing is declared as production')];
  const { deployed, perWeek, failed, notDeployed, leadTime, unknown } = deployments;
  if (deployed === null) return [row('Deployments', 'no data')];
  return [
    row('Deployments', String(deployed), perWeek === null ? '' : `${perWeek.toFixed(1)} a week`),
    row('  failed', String(failed), `failed to deploy: ${notDeployed}`),
    row(
      '  merge to deployment',
      leadTime.p50 === null ? 'no data' : duration(leadTime.p50),
      unknown === 0 ? `pull requests: ${leadTime.count}` : `not known for ${unknown} deployments`,
    ),
  ];
}

const money = ({ amount, currency }: Cost): string => `${amount.toFixed(2)} ${currency}`;

const lostNames = { rerun: 're-runs', superseded: 'superseded', afterFailure: 'after a failure' } as const;

function branchFacts({ main, merges, coveredFrom }: Health): Cell[][] {
  const { redMs, observedMs, byEnding, recoveries } = main;
  if (redMs === null || observedMs === null) return [row('Time red', 'no data')];
  const share = `${((redMs / observedMs) * 100).toFixed(1)} % of the time`;
  const ended = (ending: keyof typeof byEnding) =>
    row(
      ending === 'open' ? '  red now' : `  ended by ${ending}`,
      duration(byEnding[ending].redMs),
      `periods: ${byEnding[ending].periods}`,
    );
  return [
    row(
      'Time red',
      duration(redMs),
      coveredFrom === null ? share : `${share} since ${coveredFrom.slice(0, 16).replace('T', ' ')}`,
    ),
    ...(['commit', 'rerun', 'revert', 'stopped', 'open'] as const)
      .filter((ending) => byEnding[ending].periods > 0)
      .map(ended),
    row(
      'Recovery, median',
      recoveries.p50 === null ? 'no data' : duration(recoveries.p50),
      recoveries.p90 === null ? '' : `p90 ${duration(recoveries.p90)}`,
    ),
    row('Merged while red', merges.intoRed === null ? 'no data' : `${merges.intoRed} of ${merges.count}`),
  ];
}

function periodRow({ since, durationMs, endedBy, repository, workflows, first }: RedPeriod): Cell[] {
  return [
    { text: endedBy ?? 'red now', colour: endedBy === null ? 'red' : undefined },
    { text: since.slice(0, 16).replace('T', ' '), colour: 'grey' },
    { text: duration(durationMs) },
    { text: cell(repository, 40), colour: 'grey' },
    { text: cell(workflows.map(({ workflow }) => workflow).join(', '), 60) },
    { text: String(first.runId), colour: 'grey' },
  ];
}
