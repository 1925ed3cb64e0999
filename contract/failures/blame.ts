import { Type, type Static } from 'typebox';
import { nullable, Time } from '../base/schema.ts';

const optionalText = nullable(Type.String());

/** A commit that may have broken it, by the first run that contains it. */
export const FirstBad = Type.Object({
  runId: Type.Integer(),
  sha: optionalText,
  title: optionalText,
  /** Who pushed it, or its author when it has no run of its own; null when only a schedule or a person started its runs. */
  actor: optionalText,
});
export type FirstBad = Static<typeof FirstBad>;

/** The last success before that. */
export const LastGreen = Type.Object({ runId: Type.Integer(), sha: optionalText, at: Time });
export type LastGreen = Static<typeof LastGreen>;

/**
 * Why no commit is named: the failure is flaky or infrastructure, several commits lie between the last success and the first failure,
 * the merge queue tested the pull request together with others, the commit that failed had passed before, or no success before the failures is
 * known.
 */
const noBlames = [
  'flaky',
  'infrastructure',
  'several_commits',
  'merge_group',
  'same_commit',
  'no_success_before',
] as const;

/** Who broke it, as far as the evidence goes. */
export const Blame = Type.Object({
  /** The only commit that can have broken it; null unless `noBlame` is null. */
  firstBad: nullable(FirstBad),
  /** All commits that can have broken it, oldest first, at most 20. Empty for a flaky or infrastructure failure. */
  candidates: Type.Array(FirstBad),
  noBlame: nullable(Type.Enum([...noBlames])),
  lastGreen: nullable(LastGreen),
  /** The forge’s page of the repository, for links to commits. */
  repositoryUrl: optionalText,
});
export type Blame = Static<typeof Blame>;
