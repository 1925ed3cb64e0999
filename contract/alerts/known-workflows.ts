import { Type, type Static } from 'typebox';
import { nullable } from '../base/schema.ts';

/** What has run lately, to see which of it the patterns of a rule take. */

export const KnownWorkflow = Type.Object({
  repository: Type.String(),
  workflow: nullable(Type.String()),
  /** As rules see them: `owner:branch` for a fork's. Null for runs without one. */
  branches: Type.Array(nullable(Type.String())),
  /** Those of `branches` that are the default branch of the repository. */
  defaultBranches: Type.Array(nullable(Type.String())),
});
export type KnownWorkflow = Static<typeof KnownWorkflow>;

export const KnownWorkflows = Type.Object({
  /** By repository and workflow. */
  items: Type.Array(KnownWorkflow),
  /** How many runs were looked at: the newest, at most 2,000. */
  counted: Type.Integer(),
});
export type KnownWorkflows = Static<typeof KnownWorkflows>;
