import type * as fc from 'fast-check';
import { apiCases } from './families/api.ts';
import { rawCases } from './families/raw.ts';
import { socketCases } from './families/sockets.ts';
import { webhookCases } from './families/webhooks.ts';
import type { AnyCase } from './run-case.ts';
import type { Surroundings } from './target.ts';

/** The kinds of cases, in the order in which they take turns. */
export const families: Record<string, (surroundings: Surroundings) => fc.Arbitrary<AnyCase>> = {
  api: ({ routes }) => apiCases(routes),
  webhooks: ({ routes }) => webhookCases(routes),
  raw: ({ routes }) => rawCases(routes),
  sockets: () => socketCases,
};
