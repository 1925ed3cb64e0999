import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

const built = path.join(import.meta.dirname, '../dist/web');
const skip = existsSync(path.join(built, 'index.html')) ? false : 'not built: npm run build';
const kib = 1024;

/** Parts that share files with their page, which is there before. */
const withTheirPage =
  /^(rule-dialogs|badge-dialog|integration-token-dialog|share-link-dialog|transfer-dialog|rotate-dialog)-/;

const isPage = /-(route|page)-/;

/** The script and its static imports, without dynamic ones. */
function withImports(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(path.join(built, file), 'utf8');
  for (const [, name = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)) {
    withImports(`assets/${name}`, seen);
  }
  return seen;
}

const sizeOf = (files: Iterable<string>): number =>
  [...files].reduce(
    (sum, file) => sum + gzipSync(readFileSync(path.join(built, file)), { level: 9 }).length,
    0,
  );

function firstLoad(): Set<string> {
  const page = readFileSync(path.join(built, 'index.html'), 'utf8');
  const files = new Set<string>();
  for (const [, name = ''] of page.matchAll(/<script[^>]* src="\/([^"]+)"/g)) withImports(name, files);
  return files;
}

test('the first load needs at most 150 KiB of JavaScript, compressed', { skip }, () => {
  const files = firstLoad();
  assert.ok(files.size > 0);
  assert.ok(sizeOf(files) <= 150 * kib, `${Math.round(sizeOf(files) / kib)} KiB`);
});

test('the build drops the schemas of the contract from the first load', { skip }, () => {
  const code = [...firstLoad()].map((file) => readFileSync(path.join(built, file), 'utf8')).join('');
  // Some are left of functions that the app calls.
  assert.ok(code.split('"~kind"').length < 10);
});

test(
  'each page needs at most 53 KiB more, each menu and dialog 53 KiB after a page, and those of settings 60 KiB',
  { skip },
  () => {
    const atOnce = firstLoad();
    const later = readdirSync(path.join(built, 'assets')).filter(
      (name) => name.endsWith('.js') && !atOnce.has(`assets/${name}`),
    );
    const ofEveryPage = later
      .filter((name) => isPage.test(name))
      .map((name) => withImports(`assets/${name}`))
      .reduce((shared, files) => shared.intersection(files));
    for (const name of later) {
      const before = isPage.test(name) ? atOnce : atOnce.union(ofEveryPage);
      const files = [...withImports(`assets/${name}`)].filter((file) => !before.has(file));
      const most = withTheirPage.test(name) ? 60 : 53;
      assert.ok(sizeOf(files) <= most * kib, `${name}: ${Math.round(sizeOf(files) / kib)} KiB`);
    }
  },
);

test(
  'the page has one inline script and no inline styles, as the content security policy allows',
  { skip },
  () => {
    const page = readFileSync(path.join(built, 'index.html'), 'utf8');
    const script = /<script>[^]*?<\/script>/;
    assert.doesNotMatch(page.replace(script, ''), /<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=/i);
    const [early = ''] = script.exec(page) ?? [];
    assert.ok(early.length > 0 && early.length <= 4.5 * kib, `${early.length} bytes`);
  },
);

test('the app is requested before anything that the inline script requests', { skip }, () => {
  const page = readFileSync(path.join(built, 'index.html'), 'utf8');
  assert.ok(page.indexOf('<script type="module"') < page.indexOf('<script>'));
  // A script after a style sheet waits for it.
  assert.ok(page.indexOf('<script>') < page.indexOf('<link rel="stylesheet"'));
});

/** The names of the lazily loaded parts with their files. */
function listedParts(): Map<string, string[]> {
  const page = readFileSync(path.join(built, 'index.html'), 'utf8');
  const [, list = ''] = /<meta name="parts" content="([^"]*)"/.exec(page) ?? [];
  return new Map(list.split(',').map((part) => [part.split(' ')[0] ?? '', part.split(' ').slice(1)]));
}

test('the pages that people open first have at most four files, because each is a request', { skip }, () => {
  const parts = listedParts();
  for (const page of ['overview-route', 'metrics-page', 'runs-route', 'run-route']) {
    const files = parts.get(page) ?? [];
    assert.ok(files.length > 0 && files.length <= 4, `${page}: ${files.join(', ')}`);
  }
});

test('the page lists the files of every lazily loaded part', { skip }, () => {
  const listed = [...listedParts().keys()];
  const parts = globSync('**/*.{ts,tsx}', { cwd: import.meta.dirname }).flatMap((file) => {
    const text = readFileSync(path.join(import.meta.dirname, file), 'utf8');
    return [...text.matchAll(/(?:lazyPart|integrationPage)\(\s*'([^']+)'/g)].map(([, name]) => name);
  });
  assert.deepEqual(listed.sort(), [...new Set(parts)].sort());
});
