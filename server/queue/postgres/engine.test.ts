import { after } from 'node:test';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { describeQueueConformance } from '../conformance/suite.ts';

const visibilityTimeoutMs = 500;
const { open } = await createTestQueue();
const queue = open({ visibilityTimeoutMs, sweeps: true });
await queue.start();
after(() => queue.stop());

describeQueueConformance('Postgres', queue);
