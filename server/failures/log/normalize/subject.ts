import { workspaceFolder } from './rules.ts';

/** Where jobs keep the files of a repository. */
const root =
  /(?:file:\/\/)?(?:\b[A-Za-z]:)?\/(?:private\/)?(?:tmp|var\/tmp|var\/folders\/\w\w\/\w{1,60}\/T|home\/[\w.-]{1,60}|Users\/[\w.-]{1,60}|root|builds?|workspace|github\/workspace|usr\/src|app|src|code|repo|project|opt|srv|mnt|data|runner|a|__w)\/(?:(?:_?work|builds?|workspace|projects?|src|ci|actions-runner)\/){0,3}/g;
const position = /(?<=\.\w{1,8})(?::\d+(?::\d+)?(?![\d.])|\(\d+,\d+\)| @ \d+)|(?<=[\w)\]]) line \d+\b/g;
const duration = / ?[[(]\s*[\d.,]+ ?(?:ms|s|sec|secs|seconds|µs|us|ns|m|min)\s*[\])]/g;
const hexadecimal =
  /0x[0-9a-f]{4,16}|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b(?=[0-9a-f]{0,63}[0-9])(?=[0-9a-f]{0,63}[a-f])[0-9a-f]{12,64}\b/gi;

/** What failed, without its place in a file and the folder that the job ran in. Numbers stay: tests are named by them. */
export function normalizeSubject(subject: string): string {
  return subject
    .replaceAll('\\', '/')
    .replace(workspaceFolder, '')
    .replace(root, '')
    .replace(duration, '')
    .replace(position, '')
    .replace(hexadecimal, '<hex>')
    .replace(/\s+/g, ' ')
    .trim();
}
