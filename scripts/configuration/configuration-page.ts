import { documentSettings } from '#platform/runtime/settings/settings.ts';

/** Generates the reference of all settings. A test compares it with the file. */
export function configurationPage(): string {
  const rows = documentSettings()
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map(
      ({ name, default: value, meaning }) => `| \`${name}\` | ${shownDefault(name, value)} | ${meaning} |`,
    );
  return [
    '# Configuration',
    '',
    'Every setting is an environment variable, read once and checked at start; a wrong value stops the process with one',
    'line per fault. Made by `npm run docs` from `platform/runtime/settings/settings.ts`.',
    '',
    '| Variable | Default | Meaning |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** Some defaults depend on the machine that generates the page. */
function shownDefault(name: string, value: string): string {
  if (name === 'DATABASE_POOL_MAX' || name === 'WORKER_CONCURRENCY') return 'from the cores';
  return value.startsWith('unset') ? value : `\`${value}\``;
}
