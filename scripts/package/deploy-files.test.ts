import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { BlockList } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFile(path.join(root, file), 'utf8');

interface Service {
  environment?: Record<string, unknown>;
  volumes?: string[];
  networks?: string[] | Record<string, { ipv4_address: string }>;
  depends_on?: Record<string, object>;
  read_only?: boolean;
  cap_drop?: string[];
}
interface Compose {
  services: Record<string, Service> & { forgewatch: Service };
  volumes: object;
  networks?: Record<string, { ipam: { config: { ip_range: string }[] } }>;
}

const documented = new Set(
  [...(await read('docs/configuration.md')).matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name),
);

for (const file of ['compose.yaml', 'deploy/compose/compose.yaml'])
  test(`${file} uses documented settings, and what its services name exists`, async () => {
    const { services, volumes, networks } = parse(await read(file)) as Compose;
    const { forgewatch } = services;
    for (const name of Object.keys(forgewatch.environment ?? {})) assert.ok(documented.has(name), name);
    assert.equal(forgewatch.read_only, true);
    assert.deepEqual(forgewatch.cap_drop, ['ALL']);
    for (const service of Object.values(services)) {
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        if (!source.startsWith('.')) assert.ok(source in volumes, source);
      }
      const names = Array.isArray(service.networks) ? service.networks : Object.keys(service.networks ?? {});
      for (const name of names) assert.ok(name in (networks ?? {}), name);
      for (const name of Object.keys(service.depends_on ?? {})) assert.ok(name in services, name);
    }
  });

test('Forgewatch trusts the address that Caddy has, and no other', async () => {
  const { services } = parse(await read('deploy/compose/compose.yaml')) as Compose;
  const networks = services['caddy']?.networks as Record<string, { ipv4_address: string }>;
  assert.equal(
    services.forgewatch.environment?.['TRUSTED_PROXIES'],
    `${networks['inside']?.ipv4_address}/32`,
  );
});

test('no other container is given the address of Caddy', async () => {
  const { services, networks } = parse(await read('deploy/compose/compose.yaml')) as Compose;
  const addresses = services['caddy']?.networks as Record<string, { ipv4_address: string }>;
  const [network = '', prefix] = networks?.['inside']?.ipam.config[0]?.ip_range.split('/') ?? [];
  const given = new BlockList();
  given.addSubnet(network, Number(prefix));
  assert.equal(given.check(addresses['inside']?.ipv4_address ?? ''), false);
});

test('the image runs as an account without rights and reports its health', async () => {
  const final = (await read('Dockerfile')).split(/^FROM /m).at(-1) ?? '';
  assert.match(final, /^USER [1-9]\d*:[1-9]\d*$/m);
  assert.match(final, /^HEALTHCHECK /m);
  assert.match(final, /^ENTRYPOINT \[/m);
  assert.doesNotMatch(final, /\bapt-get\b|\bcurl\b|:latest/);
});

test('each alert is valid PromQL over documented series and says what to do', async () => {
  const { groups } = parse(await read('deploy/prometheus/alerts.yaml')) as {
    groups: { rules: { alert: string; expr: string; annotations: { runbook: string } }[] }[];
  };
  const guide = await read('docs/guide/monitoring.md');
  const troubleshooting = await read('docs/guide/troubleshooting.md');
  const rules = groups.flatMap((group) => group.rules);
  assert.ok(rules.length > 5);
  for (const { alert, expr, annotations } of rules) {
    parser.configure({ strict: true }).parse(expr);
    for (const [name] of expr.matchAll(/forgewatch_\w+/g))
      assert.ok(guide.includes(`\`${name.replace(/_(count|sum|bucket)$/, '')}\``), name);
    assert.equal(annotations.runbook, `docs/guide/troubleshooting.md#${alert.toLowerCase()}`);
    assert.ok(troubleshooting.includes(`### ${alert}\n`), alert);
  }
  const headings = [...troubleshooting.matchAll(/^### (Forgewatch\w+)$/gm)].map(([, name]) => name);
  assert.deepEqual(headings.sort(), rules.map(({ alert }) => alert).sort());
});

test('each alert has series for which it fires and series for which it does not', async () => {
  const { groups } = parse(await read('deploy/prometheus/alerts.yaml')) as {
    groups: { rules: { alert: string }[] }[];
  };
  const { tests } = parse(await read('deploy/prometheus/alerts.test.yaml')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: object[] }[] }[];
  };
  const cases = tests.flatMap((each) => each.alert_rule_test);
  const named = (fires: boolean) =>
    cases.filter(({ exp_alerts: expected }) => expected.length > 0 === fires).map((each) => each.alertname);
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)).sort();
  assert.deepEqual(named(true).sort(), alerts);
  assert.deepEqual(named(false).sort(), alerts);
});

test(
  'promtool confirms when each alert fires',
  { skip: spawnSync('promtool', ['--version']).error !== undefined && 'promtool is not installed' },
  () => {
    const { status, stdout, stderr } = spawnSync(
      'promtool',
      ['test', 'rules', 'deploy/prometheus/alerts.test.yaml'],
      { cwd: root, encoding: 'utf8' },
    );
    assert.equal(status, 0, stdout + stderr);
  },
);
