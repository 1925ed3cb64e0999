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
