import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** The sections of keepachangelog.com. */
const sections = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

/**
 * The changelog with what is unreleased under the version, and an empty part for what comes next.
 * @throws when nothing is unreleased, the version is there already, or a section has another name
 */
export function releaseChangelog(text: string, version: string, date: string): string {
  const [before, unreleased, released] = splitChangelog(text);
  if (text.includes(`\n## ${version} - `)) throw new Error(`CHANGELOG.md has ${version} already`);
  const foreign = [...unreleased.matchAll(/^### (.+)$/gm)].filter(
    ([, name = '']) => !sections.includes(name),
  );
  if (foreign.length > 0)
    throw new Error(
      `CHANGELOG.md: ${foreign.map(([heading]) => heading).join(', ')} must be one of ${sections.join(', ')}`,
    );
  if (!/^- /m.test(unreleased)) throw new Error('CHANGELOG.md lists nothing under "## Unreleased"');
  return `${before}## Unreleased\n\n## ${version} - ${date}\n${unreleased}${released}`;
}

/** What is before "## Unreleased", what is under it, and the released versions. */
function splitChangelog(text: string): [string, string, string] {
  const [heading] = /^## Unreleased\n/m.exec(text) ?? [];
  if (heading === undefined) throw new Error('CHANGELOG.md has no line "## Unreleased"');
  const at = text.indexOf(heading);
  const rest = text.slice(at + heading.length);
  const end = rest.search(/^## /m);
  const under = end === -1 ? rest : rest.slice(0, end);
  return [text.slice(0, at), under, rest.slice(under.length)];
}

/** The files that name the version of the project, and where. */
const places: Record<string, RegExp[]> = {
  'package.json': [/(?<=^ {2}"version": ")[^"]+(?=")/m],
  'package-lock.json': [/(?<=^ {2}"version": ")[^"]+(?=")/m, /(?<=^ {6}"version": ")[^"]+(?=")/m],
  'deploy/helm/Chart.yaml': [/(?<=^version: ).+$/m, /(?<=^appVersion: ).+$/m],
  'docs/guide/install.md': [
    /(?<=sha256sum -c forgewatch-).+(?=\.tgz\.sha256)/,
    /(?<=npm install \.\/forgewatch-).+(?=\.tgz)/,
  ],
};

export const versionFiles: readonly string[] = Object.keys(places);

/** The versions that the file names. */
export function versionsIn(file: string, text: string): string[] {
  return placesIn(file).map((place) => {
    const found = place.exec(text)?.[0];
    if (found === undefined) throw new Error(`${file} has no version at ${place.source}`);
    return found;
  });
}

export function withVersion(file: string, text: string, version: string): string {
  return placesIn(file).reduce((result, place) => result.replace(place, version), text);
}

function placesIn(file: string): RegExp[] {
  return places[file] ?? [];
}

/** Lines as `sha256sum` writes them: the checksum of each migration, in order. */
export async function checksumMigrations(directory: string): Promise<string> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).toSorted();
  const lines = files.map(async (file) => {
    const content = await readFile(path.join(directory, file));
    return `${createHash('sha256').update(content).digest('hex')}  ${file}\n`;
  });
  return (await Promise.all(lines)).join('');
}

/**
 * What is wrong with migrations after a release: its files are there without a change, and others come after them. Both arguments
 * are what `checksumMigrations` returns.
 */
export function changesToReleased(released: string, present: string): string[] {
  const [before, now] = [entriesOf(released), entriesOf(present)];
  const checksums = new Map(now);
  const changed = before.flatMap(([file, checksum]) => {
    if (!checksums.has(file)) return [`${file} is missing`];
    return checksums.get(file) === checksum ? [] : [`${file} is changed`];
  });
  const last = before.at(-1)?.[0] ?? '';
  const names = new Set(before.map(([file]) => file));
  const early = now.flatMap(([file]) =>
    file < last && !names.has(file) ? [`${file} must come after ${last}`] : [],
  );
  return [...changed, ...early];
}

function entriesOf(lines: string): [file: string, checksum: string][] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [line.slice(66), line.slice(0, 64)]);
}
