import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { SimulatedEvent } from '../event.ts';
import { createSimulator } from '../simulator.ts';

function eventsOf(seed: number, stories: number): SimulatedEvent[] {
  const simulator = createSimulator({ seed, startAt: new Date('2026-11-20T10:00:00Z') });
  return Array.from({ length: stories }, () => simulator.story()).flat();
}

test('payloads have the size of real ones', () => {
  const kib = {
    workflow_run: [15, 20.2],
    workflow_job: [7, 12],
    pull_request: [20, 26],
    pull_request_review: [20, 27],
    deployment_status: [15, 24],
  };
  for (const { eventType, payload } of eventsOf(5, 100)) {
    const [least = 0, most = 0] = kib[eventType];
    const size = JSON.stringify(payload).length / 1024;
    assert.ok(size >= least && size <= most, `${eventType} of ${size.toFixed(1)} KiB`);
  }
});

/** Objects with fields in the forge's examples that the simulator never sets. */
const unused =
  /installation|performed_via_github_app\.|assignee|requested_reviewer|milestone\.|allow_(merge_commit|\w+_merge)|delete_branch|license\./;

test("payloads have every field of GitHub's own examples", () => {
  const path = import.meta.resolve('@octokit/webhooks-examples/api.github.com/index.json');
  const examples = JSON.parse(readFileSync(new URL(path), 'utf8')) as { name: string; examples: object[] }[];
  const mine = Map.groupBy(eventsOf(6, 200), ({ eventType }) => eventType);
  for (const [type, events] of mine) {
    const known = new Set(events.flatMap(({ payload }) => pathsOf(JSON.parse(JSON.stringify(payload)))));
    const real = examples.find(({ name }) => name === type)!.examples.flatMap((example) => pathsOf(example));
    assert.deepEqual(
      [...new Set(real)].filter((field) => !known.has(field) && !unused.test(field)),
      [],
    );
  }
});

function pathsOf(value: unknown, prefix = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item, prefix));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    `${prefix}${key}`,
    ...pathsOf(inner, `${prefix}${key}.`),
  ]);
}
