import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { allCommands } from '#server/command-line.ts';
import { parseOptions } from '#server/commands/command.ts';
import packageJson from '../package.json' with { type: 'json' };

const root = path.join(import.meta.dirname, '..');
const pages = globSync(['*.md', '{docs,deploy}/**/*.md'], { cwd: root }).map((file) =>
  file.replaceAll(path.sep, '/'),
);
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

interface Block {
  page: string;
  language: string;
  text: string;
}

const blocks: Block[] = pages.flatMap((page) =>
  [...read(page).matchAll(/^ *```(\w+)\n([^]*?)^ *```$/gm)].map(([, language = '', text = '']) => ({
    page,
    language,
    text,
  })),
);
const ofLanguage = (language: string): Block[] => blocks.filter((block) => block.language === language);

/** As GitHub makes them of headings. */
function anchorsOf(page: string): Set<string> {
  const headings = [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Links to other pages and headings, without code, as [page, target, anchor]. */
function linksOf(page: string): [string, string, string | undefined][] {
  const prose = read(page)
    .replaceAll(/^ *```[^]*?^ *```$/gm, '')
    .replaceAll(/`[^`\n]*`(?!\])/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor] = target.split('#');
      const place = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
      return [page, place, anchor];
    });
}

test('every link of the documentation leads to a file and a heading', () => {
  const links = pages.flatMap(linksOf);
  assert.ok(links.length > 150);
  const broken = links.filter(([, place, anchor]) => {
    if (!existsSync(path.join(root, place))) return true;
    return anchor !== undefined && !anchorsOf(place).has(anchor);
  });
  assert.deepEqual(broken, []);
});

test('each page is in an index, and the README is short', () => {
  const indexes = ['docs/README.md', 'docs/architecture/README.md', 'docs/how-to/README.md'];
  const linked = new Set(indexes.flatMap((index) => linksOf(index).map(([, place]) => place)));
  const listed = pages.filter((page) => /^docs\/(?!decisions\/|README)/.test(page));
  assert.ok(listed.length > 30);
  assert.deepEqual(
    listed.filter((page) => !linked.has(page)),
    [],
  );
  assert.ok(linksOf('README.md').some(([, place]) => place === 'docs/README.md'));
  assert.ok(read('README.md').split('\n').length <= 101);
});

test('examples of the shell, YAML and JSON can be parsed', () => {
  for (const { page, text } of ofLanguage('sh')) {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
    assert.equal(status, 0, `${page}: ${stderr}\n${text}`);
  }
  for (const { page, text } of ofLanguage('yaml'))
    for (const document of parseAllDocuments(text)) assert.deepEqual(document.errors, [], `${page}: ${text}`);
  for (const { page, text } of ofLanguage('json'))
    assert.doesNotThrow(() => JSON.parse(text) as unknown, `${page}: ${text}`);
});

test('every command of Forgewatch in an example exists, with its options', async () => {
  const commands = await allCommands();
  const inExamples = ofLanguage('sh').flatMap(({ page, text }) =>
    text
      .replaceAll('\\\n', ' ')
      .split('\n')
      .flatMap((line) => line.split(/&&|\|| #|^#.*/))
      .map((part) => [page, part] as const),
  );
  const inTexts = pages.flatMap((page) =>
    [...read(page).matchAll(/`(npx forgewatch [^`\n]+)`/g)].map(([, text = '']) => [page, text] as const),
  );
  const examples = [...inExamples, ...inTexts].flatMap(([page, text]) => {
    const [, call] = /(?:^|\s)(?:npx |exec )?forgewatch ((?!forgewatch|cd )[a-z].*)/.exec(text) ?? [];
    return call === undefined ? [] : [{ page, words: wordsOf(call) }];
  });
  assert.ok(examples.length > 25);
  for (const { page, words } of examples) {
    const command = commands
      .filter(({ name }) => `${words.join(' ')} `.startsWith(`${name} `))
      .toSorted((one, other) => other.name.length - one.name.length)[0];
    assert.ok(command !== undefined, `${page}: forgewatch ${words.join(' ')}`);
    const rest = words.slice(command.name.split(' ').length);
    assert.doesNotThrow(() => parseOptions(command, rest), `${page}: forgewatch ${words.join(' ')}`);
  }
});

test('every script of npm that a page names exists', () => {
  const scripts: Record<string, string> = packageJson.scripts;
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/npm run (?:-s |--silent )?([a-z][\w:-]*)/g)].map(
      ([, script = '']) => [page, script] as const,
    ),
  );
  assert.ok(named.length > 20);
  assert.deepEqual(
    named.filter(([, script]) => !(script in scripts)),
    [],
  );
});

/** The arguments before a redirection. Quotes and substitutions are one word. */
function wordsOf(call: string): string[] {
  const [before = ''] = call.split(/\s(?:\d?>|<|2>&1)/);
  return before.match(/(?:"[^"]*"|'[^']*'|\$\([^)]*\)|\S)+/g) ?? [];
}
