import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { parseAllDocuments, parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };

const root = path.join(import.meta.dirname, '../..');
const chart = path.join(root, 'deploy/helm');
const isMissing = spawnSync('helm', ['version']).error !== undefined && 'Helm is not installed';
const required = ['publicUrl=https://ci.example.com', 'existingSecret=forgewatch'];

interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: {
    selector?: { matchLabels?: Record<string, string> };
    template?: {
      metadata: { labels: Record<string, string> };
      spec: { containers: { args: string[]; env: { name: string }[]; securityContext: object }[] };
    };
    groups?: { rules: object[] }[];
  };
}

const sets: Record<string, { values: string[]; kinds: string[] }> = {
  'what is required alone': { values: [], kinds: [] },
  'an ingress with TLS': {
    values: [
      'ingress.enabled=true',
      'ingress.host=ci.example.com',
      'ingress.tlsSecret=tls',
      'ingress.className=nginx',
    ],
    kinds: ['Ingress'],
  },
  'autoscaling of both roles': {
    values: ['api.autoscaling.enabled=true', 'worker.autoscaling.enabled=true'],
    kinds: ['HorizontalPodAutoscaler'],
  },
  'the Prometheus operator': {
    values: [
      'serviceMonitor.enabled=true',
      'prometheusRule.enabled=true',
      'prometheusRule.labels.release=prometheus',
    ],
    kinds: ['ServiceMonitor', 'PrometheusRule'],
  },
  'settings, proxies and no network policy': {
    values: [
      'settings.LOG_LEVEL=debug',
      'trustedProxies=10.0.0.0/8',
      'networkPolicy.enabled=false',
      'image.tag=1',
    ],
    kinds: [],
  },
};

test('the chart has the version of the project', async () => {
  const { version, appVersion } = parse(await readFile(path.join(chart, 'Chart.yaml'), 'utf8')) as Record<
    string,
    string
  >;
  assert.deepEqual([version, appVersion], [packageJson.version, packageJson.version]);
});

for (const [name, { values, kinds }] of Object.entries(sets))
  test(
    `the chart with ${name} makes pods without rights and with documented settings`,
    { skip: isMissing },
    async () => {
      const manifests = template([...required, ...values]);
      for (const kind of kinds)
        assert.ok(
          manifests.some((manifest) => manifest.kind === kind),
          kind,
        );
      assert.equal(
        manifests.some(({ kind }) => kind === 'NetworkPolicy'),
        !values.includes('networkPolicy.enabled=false'),
      );
      const settings = await readFile(path.join(root, 'docs/configuration.md'), 'utf8');
      const pods = manifests.filter(({ spec }) => spec.template !== undefined);
      assert.deepEqual(pods.map(({ spec }) => spec.template?.spec.containers[0]?.args[0]).sort(), [
        'api',
        'migrate',
        'worker',
      ]);
      for (const { kind, spec } of pods) {
        const { metadata, spec: pod } = spec.template ?? assert.fail(kind);
        for (const [label, value] of Object.entries(spec.selector?.matchLabels ?? {}))
          assert.equal(metadata.labels[label], value);
        for (const container of pod.containers) {
          assert.deepEqual(container.securityContext, {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          for (const variable of container.env)
            assert.ok(settings.includes(`| \`${variable.name}\` |`), variable.name);
        }
      }
    },
  );

test(
  'the chart lints, carries the alert rules and says which value is missing',
  { skip: isMissing },
  async () => {
    const lint = helm(['lint', '--strict', chart, ...flags(required)]);
    assert.equal(lint.status, 0, lint.stdout + lint.stderr);
    const rules = parse(
      await readFile(path.join(root, 'deploy/prometheus/alerts.yaml'), 'utf8'),
    ) as Manifest['spec'];
    const made = template([...required, 'prometheusRule.enabled=true']).find(
      ({ kind }) => kind === 'PrometheusRule',
    );
    assert.deepEqual(made?.spec.groups, rules.groups);
    const incomplete = helm(['template', 'ci', chart, '--kube-version', '1.30.0']);
    assert.match(incomplete.stderr, /existingSecret names the Secret|publicUrl is the address/);
  },
);

function template(values: string[]): Manifest[] {
  const { status, stdout, stderr } = helm([
    'template',
    'ci',
    chart,
    '--kube-version',
    '1.30.0',
    ...flags(values),
  ]);
  assert.equal(status, 0, stderr);
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

function helm(args: string[]) {
  return spawnSync('helm', args, { encoding: 'utf8' });
}

function flags(values: string[]): string[] {
  return values.flatMap((value) => ['--set', value]);
}
