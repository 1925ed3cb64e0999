import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { nearMisses } from './near-misses.ts';
import { documentSettings } from './settings.ts';

test('a misspelt setting is found, and variables of other programs are not', () => {
  for (const [given, meant] of [
    ['WORKER_CONCURENCY', 'WORKER_CONCURRENCY'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['PUBLIC_URLS', 'PUBLIC_URL'],
    ['SMPT_URL', 'SMTP_URL'],
    ['ENCRYPTION-KEY', undefined],
    ['ENCRYPTIONKEY', 'ENCRYPTION_KEY'],
  ] as const)
    assert.deepEqual(nearMisses({ [given]: 'x' }), meant === undefined ? [] : [{ given, meant }], given);
  const usual =
    'PATH HOME HOSTNAME LOGNAME SHELL PWD TERM LANG USER TZ CI NODE_ENV NO_COLOR DEBUG PGHOST PGPORT HTTP_PROXY HTTPS_PROXY ' +
    'NO_PROXY AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_ENDPOINT_URL OTEL_SERVICE_NAME NODE_OPTIONS ' +
    'FORGEWATCH_URL FORGEWATCH_TOKEN FORGEWATCH_INTEGRATION KUBERNETES_SERVICE_HOST LOGS_DIRECTORY STATE_DIRECTORY ' +
    'INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID XDG_CONFIG_HOME XDG_DATA_DIRS PM2_HOME COMPOSE_PROJECT_NAME';
  assert.deepEqual(nearMisses(Object.fromEntries(usual.split(' ').map((name) => [name, 'x']))), []);
});

test('a setting that is set is not suggested', () => {
  assert.deepEqual(nearMisses({ PUBLIC_URL: 'x', PUBLIC_URLS: 'y' }), []);
});

test('each long name with one slip is recognised, and no correct name is reported', () => {
  const names = documentSettings().map(({ name }) => name);
  assert.deepEqual(nearMisses(Object.fromEntries(names.map((name) => [name, 'x']))), []);
  const long = names.filter((name) => name.length >= 8);
  fc.assert(
    fc.property(fc.constantFrom(...long), fc.nat(), (name, at) => {
      const place = 1 + (at % (name.length - 2));
      const given = name.slice(0, place) + name.slice(place + 1);
      if (names.includes(given)) return;
      assert.equal(nearMisses({ [given]: 'x' }).length, 1, given);
    }),
  );
});
