import { createHash } from 'node:crypto';
import { normalizeErrorLine, workspaceFolder } from './normalize/rules.ts';

/** Where jobs keep the files of a repository. */
const root =
  /(?:file:\/\/)?(?:\b[A-Za-z]:)?\/(?:private\/)?(?:tmp|var\/tmp|var\/folders\/\w\w\/\w{1,60}\/T|home\/[\w.-]{1,60}|Users\/[\w.-]{1,60}|root|builds?|workspace|github\/workspace|usr\/src|app|src|code|repo|project|opt|srv|mnt|data|runner|a|__w)\/(?:(?:_?work|builds?|workspace|projects?|src|ci|actions-runner)\/){0,3}/g;
const position = /(?<=\.\w{1,8})(?::\d+(?::\d+)?(?![\d.])|\(\d+,\d+\)| @ \d+)|(?<=[\w)\]]) line \d+\b/g;
const duration = / ?[[(]\s*[\d.,]+ ?(?:ms|s|sec|secs|seconds|µs|us|ns|m|min)\s*[\])]/g;
const hexadecimal =
  /0x[0-9a-f]{4,16}|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b(?=[0-9a-f]{0,63}[0-9])(?=[0-9a-f]{0,63}[a-f])[0-9a-f]{12,64}\b/gi;

/** Nothing but a line of a file says what failed. */
const onlyPosition = /^[^\s:]+:\d+$/;

/** What failed, without its place in a file and the folder that the job ran in. Numbers stay: tests are named by them. */
function normalizeSubject(subject: string): string {
  return subject
    .replaceAll('\\', '/')
    .replace(workspaceFolder, '')
    .replace(root, '')
    .replace(duration, '')
    .replace(position, (found) => (onlyPosition.test(subject) ? found : ''))
    .replace(hexadecimal, '<hex>')
    .replace(/\s+/g, ' ')
    .trim();
}

export interface FailureIdentity {
  /** As events about jobs name it: they do not name its file. */
  workflow: string;
  jobName: string;
  stepName: string | null;
  errorLine: string | null;
  /** The test, file, package, target or annotation that failed. */
  subject: string | null;
}

/** Equal for failures with the same cause: 32 hexadecimal digits. */
export function fingerprint({ workflow, jobName, stepName, errorLine, subject }: FailureIdentity): string {
  const line = errorLine ?? '';
  // The subject keeps its numbers, and is left out of what surrounds it.
  const rest = subject === null ? line : line.replace(subject, ' <subject> ');
  const parts = [
    workflow,
    legOf(jobName),
    stepName,
    normalizeErrorLine(rest),
    subject === null ? null : normalizeSubject(subject),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/** Equal for failures of the same test in the same job of a workflow, whatever the log says. */
export function fingerprintOfTest(workflow: string, jobName: string, testId: string): string {
  return createHash('sha256')
    .update(JSON.stringify([workflow, legOf(jobName), 'test', testId]))
    .digest('hex')
    .slice(0, 32);
}

/** The length at which GitHub cuts the names of jobs. */
const maxJobName = 100;

/**
 * The name of a job without the values of its matrix. The forge adds them in parentheses, also to the calling job before ` / `. It cuts
 * long names, so the parentheses may never close. Values can contain parentheses and ` / `.
 */
export function legOf(jobName: string): string {
  return withoutValues(jobName).replace(runner, '<os>').replace(version, '#');
}

/** Values that a name given to the job contains without parentheses. */
const runner = /\b(?:ubuntu|windows|macos|debian|alpine|fedora)(?:-(?:latest|\d[\w.-]*))?\b/gi;
const version = /(?<![\w])v?\d+(?:\.(?:\d+|x))*(?!\w)/g;

function withoutValues(jobName: string): string {
  let leg = '';
  let at = 0;
  while (at < jobName.length) {
    const open = jobName.indexOf(' (', at);
    const close = open < 0 ? -1 : endOfValues(jobName, open + 2);
    if (open < 0 || (close < 0 && !isCut(jobName))) break;
    leg += jobName.slice(at, open);
    if (close < 0) return leg;
    at = close;
  }
  return leg + jobName.slice(at);
}

const isCut = (jobName: string): boolean => jobName.length >= maxJobName || /(?:\.\.\.|…)$/.test(jobName);

/** Behind the parenthesis that ends the values, which ends the name of the job or of the calling job. */
function endOfValues(name: string, from: number): number {
  let depth = 1;
  for (let at = from; at < name.length; at++) {
    if (name[at] === '(') depth++;
    else if (name[at] === ')') depth = Math.max(1, depth) - 1;
    const isEnd = at + 1 === name.length || name.startsWith(' / ', at + 1);
    if (name[at] === ')' && isEnd && (depth === 0 || at + 1 === name.length)) return at + 1;
  }
  return -1;
}

/** The id of the group: equal for the same fingerprint in the same repository. Its form is that of a UUID. */
export function groupIdOf(repository: string, fingerprint: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([repository, fingerprint]))
    .digest('hex');
  // Version 8 is for custom contents (RFC 9562).
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
