import type { Quarantine, QuarantineList } from '#contract/tests/tests.ts';
import { UsageError, type Command, type OptionValues } from '#server/commands/command.ts';
import type { ReportedCase } from '#server/test-results/parsing/case-collector.ts';
import { parseReport, ReportTooLarge } from '#server/test-results/parsing/parse-report.ts';
import { clientOptions } from './api.ts';
import { adviceOf, fromJob, openForJob, readReport, suiteOption } from './job.ts';
import { cell, makeTerminal, type Terminal } from './terminal.ts';

/** What the reports say, and what of it does not count. */
interface Verdict {
  tests: number;
  failed: ReportedCase[];
  quarantined: { test: ReportedCase; quarantine: Quarantine }[];
  /** Reasons why the reports prove nothing. */
  problems: string[];
}

export function gateCommand(env: NodeJS.ProcessEnv): Command {
  return {
    name: 'gate',
    summary: 'judge reports of tests: exits with 0 if only tests in quarantine failed',
    positionals: 'FILE…',
    options: {
      suite: suiteOption,
      repository: {
        type: 'string',
        value: 'OWNER/NAME',
        help: 'the repository of the tests (default: from the job)',
      },
      ...clientOptions,
    },
    run: async (values, files) => {
      if (files.length === 0) throw new UsageError('Pass the reports of the tests: gate FILE…');
      const verdict = await judge(env, values, files);
      const passed = verdict.failed.length + verdict.problems.length === 0;
      const terminal = makeTerminal(env);
      if (values['json'] === true) terminal.json({ passed, ...verdict });
      else print(terminal, verdict);
      return passed ? 0 : 1;
    },
  };
}

/** Asks the server only about failures, so that a job without any needs no token. */
async function judge(
  env: NodeJS.ProcessEnv,
  values: OptionValues,
  files: readonly string[],
): Promise<Verdict> {
  const read = await readAll(files);
  if (read.failed.length === 0) return { ...read, quarantined: [] };
  try {
    const list = await readQuarantine(env, values);
    const known = new Map(list.items.map((each) => [keyOf(each), each.quarantine]));
    const found = read.failed.map((test) => ({ test, quarantine: known.get(keyOf(test)) }));
    return {
      ...read,
      failed: found.flatMap(({ test, quarantine }) => (quarantine === undefined ? [test] : [])),
      quarantined: found.flatMap(({ test, quarantine }) =>
        quarantine === undefined ? [] : [{ test, quarantine }],
      ),
    };
  } catch (error) {
    const problem = `The tests in quarantine are not known, so every failure counts. ${adviceOf(error)}`;
    return { ...read, quarantined: [], problems: [...read.problems, problem] };
  }
}

const keyOf = ({ className, name }: { className: string; name: string }): string => `${className}\n${name}`;

async function readAll(files: readonly string[]): Promise<Omit<Verdict, 'quarantined'>> {
  const all = { tests: 0, failed: [] as ReportedCase[], problems: [] as string[] };
  for (const file of files)
    try {
      const { cases, isWhole, faults } = parseReport(await readReport(file));
      all.tests += cases.length;
      all.failed.push(...cases.filter(({ outcome }) => outcome === 'failed'));
      if (cases.length === 0) all.problems.push(`${file}: The report has no tests.`);
      if (!isWhole) all.problems.push(`${file}: ${faults.join(' ')}`);
    } catch (error) {
      const reason = error instanceof ReportTooLarge ? 'The report is too large.' : (error as Error).message;
      all.problems.push(`${file}: ${reason}`);
    }
  return all;
}

async function readQuarantine(env: NodeJS.ProcessEnv, values: OptionValues): Promise<QuarantineList> {
  const { api, path } = await openForJob(env, values);
  const repository = values['repository'] ?? fromJob(env, 'REPOSITORY');
  if (typeof repository !== 'string')
    throw new Error(
      'GITHUB_REPOSITORY is not set, so this is no job of a forge. Pass --repository OWNER/NAME.',
    );
  const { suite } = values;
  return api.get<QuarantineList>(`${path}/quarantine.json`, {
    repository,
    suite: typeof suite === 'string' ? suite : '',
  });
}

function print(terminal: Terminal, { tests, failed, quarantined, problems }: Verdict): void {
  const name = ({ className, name: own }: ReportedCase): string =>
    cell(className === '' ? own : `${className} › ${own}`, 200);
  for (const { test, quarantine } of quarantined) {
    const owner = quarantine.owner?.name ?? 'nobody';
    const why = `${cell(quarantine.reason, 200)} (${cell(owner)}, until ${quarantine.until.slice(0, 10)})`;
    terminal.line(`${terminal.paint('quarantined', 'yellow')}  ${name(test)}: ${why}`);
  }
  for (const test of failed)
    terminal.line(`${terminal.paint('failed', 'red')}  ${name(test)}: ${cell(test.message, 300)}`);
  for (const problem of problems) process.stderr.write(`${cell(problem, 1000)}\n`);
  const counts = [`${tests} ${tests === 1 ? 'test' : 'tests'}`, `${failed.length} failed`];
  if (quarantined.length > 0) counts.push(`${quarantined.length} failed in quarantine`);
  terminal.line(counts.join(', '));
}
