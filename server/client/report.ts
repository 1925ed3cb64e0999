import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { TestReportReceipt } from '#contract/tests/tests.ts';
import type { Command, OptionValues } from '#server/commands/command.ts';
import { ApiError, clientOptions, type Api } from './api.ts';
import { adviceOf, jobOf, jobOptions, openForJob, readReport, type Job } from './job.ts';
import { cell, makeTerminal, type Terminal } from './terminal.ts';

const pack = promisify(gzip);

/** A server that restarts or is busy is asked again, and a job does not wait for long. */
const attempts = 3;
const longestWaitSeconds = 20;

export function reportCommand(env: NodeJS.ProcessEnv): Command {
  return {
    name: 'report',
    summary: 'upload reports of tests from a job; fails only with --strict',
    positionals: 'FILE…',
    options: {
      ...jobOptions,
      strict: { type: 'boolean', help: 'exit with 1 when a report was not stored (default: 0)' },
      ...clientOptions,
    },
    run: async (values, files) => {
      const terminal = makeTerminal(env);
      const stored = await reportAll(env, values, files, terminal).catch((error: unknown) => {
        complain(env, adviceOf(error));
        return 0;
      });
      return values['strict'] === true && (stored < files.length || files.length === 0) ? 1 : 0;
    },
  };
}

/** Returns how many reports the server has. */
async function reportAll(
  env: NodeJS.ProcessEnv,
  values: OptionValues,
  files: readonly string[],
  terminal: Terminal,
): Promise<number> {
  if (files.length === 0) throw new Error('No file was passed. Pass the reports of the tests: report FILE…');
  const job = jobOf(env, values);
  const opened = await openForJob(env, values);
  let stored = 0;
  for (const file of files)
    try {
      const receipt = await upload(opened, job, await readReport(file));
      stored += 1;
      if (values['json'] === true) terminal.json({ file, ...receipt });
      else printReceipt(terminal, file, receipt);
    } catch (error) {
      complain(env, `${cell(file, 200)}: ${adviceOf(error)}`);
    }
  return stored;
}

async function upload(
  { api, path }: { api: Api; path: string },
  { run, attempt, forge, job, suite }: Job,
  bytes: Buffer<ArrayBuffer>,
): Promise<TestReportReceipt> {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const body = isPacked ? bytes : await pack(bytes);
  const query = { run: String(run), attempt: String(attempt), forge, job, suite };
  for (let attempted = 1; ; attempted += 1)
    try {
      return await api.post<TestReportReceipt>(`${path}/test-reports`, query, body);
    } catch (error) {
      const wait = error instanceof ApiError ? error.retryAfterSeconds : undefined;
      if (wait === undefined || wait > longestWaitSeconds || attempted === attempts) throw error;
      await sleep(wait * 1000);
    }
}

const outcomes: Record<TestReportReceipt['status'], string> = {
  stored: 'stored',
  waiting: 'stored as soon as the run is known',
  known: 'stored before',
};

function printReceipt(
  terminal: Terminal,
  file: string,
  { status, tests, failed, flaky, skipped, faults }: TestReportReceipt,
): void {
  const counts = [
    `${tests} ${tests === 1 ? 'test' : 'tests'}`,
    ...(failed > 0 ? [terminal.paint(`${failed} failed`, 'red')] : []),
    ...(flaky > 0 ? [terminal.paint(`${flaky} flaky`, 'yellow')] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  terminal.line(`${cell(file, 200)}: ${counts.join(', ')}; ${outcomes[status]}`);
  for (const fault of faults) terminal.line(terminal.paint(`  ${cell(fault, 300)}`, 'yellow'));
}

/** GitHub shows the line on the page of the run, because the step that prints it succeeds. */
function complain(env: NodeJS.ProcessEnv, message: string): void {
  const isGitHub = env['GITHUB_ACTIONS'] === 'true' && !env['GITEA_ACTIONS'] && !env['FORGEJO_ACTIONS'];
  const line = isGitHub ? `::warning title=Forgewatch::${message.replaceAll('%', '%25')}` : message;
  process.stderr.write(`${line.replaceAll(/[\r\n]+/g, isGitHub ? '%0A' : '\n')}\n`);
}
