import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const root = path.join(import.meta.dirname, '..');

/** The modules that each module of `server/` may import besides contract, platform and `server/route.ts`. */
const mayImport: Record<string, readonly string[]> = {
  'event-log': [],
  'api-tokens': ['event-log', 'members'],
  'background-work': ['event-log', 'members'],
  badges: ['event-log', 'members', 'runs'],
  'hidden-workflows': ['alerts', 'event-log', 'members', 'realtime', 'runs'],
  'trace-export': ['ci-metrics', 'event-log', 'members', 'realtime', 'runs', 'tasks'],
  mcp: [],
  wallboard: ['alerts', 'event-log', 'failures', 'members', 'runs'],
  mail: [],
  queue: ['mail', 'sample-data'],
  'sample-data': ['event-log', 'members'],
  runs: [],
  rollups: ['deployments', 'failures', 'minute-prices', 'runs', 'sample-data'],
  deployments: ['event-log', 'failures', 'forge-tasks', 'members', 'realtime', 'runs'],
  masking: [],
  'minute-prices': ['event-log', 'members', 'realtime'],
  events: ['ci-metrics', 'event-log', 'masking', 'rollups', 'runs', 'tasks'],
  'ci-metrics': ['rollups', 'runs', 'sample-data', 'test-results'],
  retention: ['rollups', 'runs'],
  'saved-views': [],
  search: ['members', 'runs'],
  home: ['alerts', 'failures', 'members', 'pull-requests', 'runs', 'workflow-owners'],
  simulate: ['sample-data'],
  members: ['event-log', 'webhook-events'],
  tasks: [],
  forges: ['masking', 'runs'],
  'forge-tasks': ['forges', 'runs', 'tasks'],
  'forge-connections': ['event-log', 'forge-tasks', 'forges', 'members'],
  'forge-actions': ['event-log', 'forges', 'members', 'runs'],
  'job-logs': ['event-log', 'failures', 'forges', 'masking', 'members', 'quotas', 'runs'],
  alerts: [
    'event-log',
    'failures',
    'forge-tasks',
    'mail',
    'outgoing-webhooks',
    'realtime',
    'rollups',
    'runs',
    'tasks',
    'workflow-owners',
  ],
  'workflow-owners': ['event-log', 'members', 'runs'],
  failures: [
    'event-log',
    'forge-tasks',
    'forges',
    'masking',
    'realtime',
    'runs',
    'tasks',
    'test-results',
    'webhook-events',
  ],
  'webhook-events': ['runs', 'tasks'],
  'outgoing-webhooks': ['event-log', 'members', 'runs', 'tasks', 'webhook-events'],
  conclusions: ['event-log', 'events', 'runs'],
  'personal-notifications': ['alerts', 'event-log', 'mail', 'members', 'runs', 'tasks'],
  'pull-requests': ['failures', 'forge-tasks', 'forges', 'runs', 'tasks', 'test-results'],
  quotas: ['event-log'],
  'test-results': [
    'event-log',
    'failures',
    'forge-tasks',
    'forges',
    'job-tokens',
    'masking',
    'members',
    'quotas',
    'rollups',
    'runs',
    'tasks',
    'webhook-events',
  ],
  'job-tokens': ['identity', 'runs'],
  operations: ['queue'],
  deliveries: ['alerts', 'event-log', 'events', 'queue', 'quotas'],
  'signing-keys': [],
  identity: ['api-tokens', 'members'],
  'identity-provider': ['forge-sign-in', 'signing-keys'],
  'forge-sign-in': ['signing-keys'],
  integrations: ['event-log', 'forge-tasks', 'members'],
  invitations: ['event-log', 'mail', 'members'],
  realtime: ['members'],
  ingestion: ['forges', 'integrations', 'queue', 'quotas', 'sample-data'],
  'forge-app': ['event-log', 'forge-tasks', 'forges', 'ingestion', 'members', 'queue'],
  'forge-sync': [
    'alerts',
    'event-log',
    'forge-app',
    'forge-tasks',
    'forges',
    'integrations',
    'members',
    'events',
    'runs',
    'tasks',
  ],
  worker: ['forge-app', 'queue', 'events', 'runs', 'members', 'realtime', 'alerts', 'sample-data'],
  client: ['commands', 'test-results'],
  formats: ['alerts', 'ci-metrics', 'runs'],
  backup: [],
  'key-rotation': [
    'alerts',
    'failures',
    'forges',
    'identity',
    'integrations',
    'job-logs',
    'outgoing-webhooks',
    'queue',
    'signing-keys',
    'test-results',
    'trace-export',
  ],
  commands: [
    'api-tokens',
    'backup',
    'identity',
    'identity-provider',
    'integrations',
    'key-rotation',
    'members',
    'queue',
    'quotas',
    'realtime',
    'rollups',
    'sample-data',
    'simulate',
  ],
};

/** Files directly in `server/` wire the modules together. */
const wiring = [
  'api-examples.ts',
  'api-routes.ts',
  'api-schemas.ts',
  'api-webhooks.ts',
  'app.ts',
  'command-line.ts',
  'main.ts',
  'make-api.ts',
  'make-sign-in.ts',
  'make-worker.ts',
  'open-queue.ts',
  'role-deps.ts',
  'route.ts',
  'running.ts',
  'runtime.ts',
  'worker-effects.ts',
];

const textOf = (file: string): string => readFileSync(path.join(root, file), 'utf8');

interface Import {
  from: string;
  to: string;
}

function importsOf(pattern: string): Import[] {
  return globSync(pattern, { cwd: root }).flatMap((file) => {
    const text = textOf(file);
    return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].flatMap(([, specifier = '']) => {
      const to = resolve(file, specifier);
      return to === undefined ? [] : [{ from: file, to }];
    });
  });
}

function resolve(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) return specifier.slice(1);
  if (specifier.startsWith('.')) return path.join(path.dirname(file), specifier);
  return undefined;
}

const isTest = (file: string): boolean =>
  file.endsWith('.test.ts') || file.endsWith('.test.tsx') || file.includes('conformance');
const sources = importsOf('{contract,platform,server}/**/*.ts').filter(({ from }) => !isTest(from));

test('contract imports only itself, platform only contract and itself', () => {
  const wrong = sources.filter(
    ({ from, to }) =>
      (from.startsWith('contract/') && !to.startsWith('contract/')) ||
      (from.startsWith('platform/') && !/^(contract|platform)\//.test(to)),
  );
  assert.deepEqual(wrong, []);
});

test('contract has one folder for each domain, with at most fourteen files', () => {
  const files = globSync('contract/**/*.ts', { cwd: root }).filter((file) => !isTest(file));
  const perFolder = Map.groupBy(files, (file) => path.dirname(file));
  const wrong = [...perFolder].filter(
    ([folder, { length }]) => length > 14 || folder.split('/').length !== 2,
  );
  assert.deepEqual(
    wrong.map(([folder]) => folder),
    [],
  );
});

/** Most source files that a folder holds. A reader takes in about that many names at once. */
const filesPerFolder = 24;

test('no folder holds more source files than a reader takes in at once', () => {
  const files = globSync('{bin,contract,platform,scripts,server,test,web}/**/*.{ts,tsx}', {
    cwd: root,
  }).filter((file) => !/\.test\.tsx?$/.test(file) || file.startsWith('test/'));
  const tooMany = [...Map.groupBy(files, (file) => path.dirname(file))]
    .filter(([, { length }]) => length > filesPerFolder)
    .map(([folder, { length }]) => `${folder}: ${length} files`);
  assert.deepEqual(
    tooMany,
    [],
    `A folder holds at most ${filesPerFolder} files. Move files of one subject and their tests into a folder below it: ${tooMany.join(', ')}`,
  );
});

test('a server module imports only the modules in the table', () => {
  const wrong = sources.filter(({ from, to }) => {
    const module = /^server\/([^/]+)\//.exec(from)?.[1];
    const target = /^server\/([^/]+)\//.exec(to)?.[1];
    if (module === undefined || target === undefined || module === target) return false;
    return !(mayImport[module] ?? []).includes(target);
  });
  assert.deepEqual(wrong, []);
});

test('only the wiring imports routes of a module, and nothing imports its stores', () => {
  const wrong = sources.filter(({ from, to }) => {
    const module = /^(?:\w+\/)[^/]+\//.exec(to)?.[0] ?? to;
    if (!/(?:[-/]store|\/routes)\.ts$/.test(to) || from.startsWith(module)) return false;
    return !(to.endsWith('/routes.ts') && wiring.includes(path.relative('server', from)));
  });
  assert.deepEqual(wrong, []);
});

test('only the SQS engine imports the AWS SDK, and nothing loads it eagerly', () => {
  const files = globSync('{contract,platform,server}/**/*.ts', { cwd: root }).filter((file) => !isTest(file));
  const outside = files.filter((file) => !file.startsWith('server/queue/sqs/'));
  const eager = outside.filter((file) =>
    /(?:from|^import) '(?:[^']*queue\/sqs\/|@aws-sdk\/)/m.test(textOf(file)),
  );
  assert.deepEqual(eager, []);
});

test('the web app imports only the contract and itself', () => {
  const wrong = importsOf('web/**/*.{ts,tsx}').filter(
    ({ from, to }) => !isTest(from) && !/^(contract|web)\//.test(to),
  );
  assert.deepEqual(wrong, []);
});

test('the API client of the web app imports no page', () => {
  const wrong = importsOf('web/api/**/*.{ts,tsx}').filter(
    ({ from, to }) => !isTest(from) && !/^(contract|web\/api)\//.test(to),
  );
  assert.deepEqual(wrong, []);
});

test('server/ contains only the listed wiring files', () => {
  assert.deepEqual(
    globSync('server/*.ts', { cwd: root })
      .map((file) => path.basename(file))
      .sort(),
    [...wiring].sort(),
  );
});

test('only stores contain SQL', () => {
  const sql = /\b(select\s.+\sfrom|insert into|update\s+\w+\s+set|delete from)\s/i;
  const wrong = globSync('server/**/*.ts', { cwd: root }).filter((file) => {
    if (
      isTest(file) ||
      /\/store\.ts$|\/[a-z-]*store[a-z-]*\.ts$|\/multi-row\.ts$|\/doctor-database\.ts$/.test(file)
    )
      return false;
    return sql.test(textOf(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''));
  });
  assert.deepEqual(wrong, []);
});

test('ARCHITECTURE.md lists exactly the modules of the server', () => {
  const rows = textOf('ARCHITECTURE.md').match(/^\| `server\/.*?\|/gm) ?? [];
  const named = rows.flatMap((row) =>
    [...row.matchAll(/`(?:server\/)?([a-z-]+)\/`/g)].map(([, name]) => name),
  );
  const folders = globSync('server/*/', { cwd: root }).map((folder) => path.basename(folder));
  assert.deepEqual(named.sort(), folders.sort());
  assert.deepEqual(Object.keys(mayImport).sort(), folders);
});

test('each dependency has its reason in docs/dependencies.md', () => {
  const manifest = JSON.parse(textOf('package.json')) as Record<string, Record<string, string>>;
  const names = ['dependencies', 'devDependencies'].flatMap((kind) => Object.keys(manifest[kind] ?? {}));
  const cells = textOf('docs/dependencies.md').match(/^\| `.*?\|/gm) ?? [];
  const listed = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  const isListed = (name: string) => listed.includes(name) || listed.includes(path.basename(name));
  assert.deepEqual(
    names.filter((name) => !name.startsWith('@types/') && !isListed(name)),
    [],
  );
});

test('all files named in the documentation exist', () => {
  const missing = globSync('{*.md,docs/**/*.md,deploy/**/*.md}', { cwd: root }).flatMap((page) => {
    const text = textOf(page);
    const named = text.matchAll(/`((?:[a-z-]+\/)+[\w.*-]+\.(?:ts|sql|json|md|yaml))`/g);
    const linked = text.matchAll(/\]\(([^)#:]+)\)/g);
    return [
      ...[...named].map(([, file = '']) => file),
      ...[...linked].map(([, file = '']) => path.join(path.dirname(page), file)),
    ]
      .filter((file) => globSync(file, { cwd: root }).length === 0)
      .map((file) => `${page}: ${file}`);
  });
  assert.deepEqual(missing, []);
});
