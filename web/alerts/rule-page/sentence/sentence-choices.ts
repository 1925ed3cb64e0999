import type { KnownWorkflow } from '#contract/alerts/known-workflows.ts';
import type { Choice } from '../../../ui/menu/menu-popup.tsx';
import { patternsOf, patternText } from '../../pattern-text.ts';
import type { RuleDraft } from '../../rule-form/rule-draft.ts';

/** The choices of branches and repositories in the sentence. Excluded patterns stay as they are: they are entered under Advanced. */

/** Typed patterns have no leading space, so these are none. */
const defaultBranch = ' default';
const anything = ' any';

/** Whether the value stands for all others, so that there is nothing more to choose. */
export const isWhole = (value: string): boolean => value === defaultBranch || value === anything;

type BranchDraft = Pick<RuleDraft, 'branches' | 'defaultBranchOnly'>;

export function branchText({ branches, defaultBranchOnly }: BranchDraft): string {
  const narrowed = narrowedText(branches);
  if (defaultBranchOnly) return `the default branch${narrowed === '' ? '' : ` (${narrowed})`}`;
  return narrowed === '' ? 'any branch' : narrowed;
}

export function repositoryText({ repositories }: Pick<RuleDraft, 'repositories'>): string {
  return narrowedText(repositories) || 'any repository';
}

function narrowedText(patterns: string): string {
  const { include, exclude } = patternsOf(patterns);
  return [include.join(' or '), exclude.length === 0 ? '' : `not ${exclude.join(' or ')}`]
    .filter((text) => text !== '')
    .join(', ');
}

export function branchChoices(known: readonly KnownWorkflow[], draft: BranchDraft): Choice[] {
  const names = known.flatMap(({ branches }) => branches).filter((name) => name !== null);
  return [
    { value: defaultBranch, label: 'the default branch' },
    { value: anything, label: 'any branch' },
    ...namesToChoose([...patternsOf(draft.branches).include, ...names]),
  ];
}

export function repositoryChoices(
  known: readonly KnownWorkflow[],
  draft: Pick<RuleDraft, 'repositories'>,
): Choice[] {
  const names = known.map(({ repository }) => repository);
  return [
    { value: anything, label: 'any repository' },
    ...namesToChoose([...patternsOf(draft.repositories).include, ...names]),
  ];
}

function namesToChoose(names: readonly string[]): Choice[] {
  return [...new Set(names)].map((name) => ({ value: name, label: name }));
}

export function chosenBranches({ branches, defaultBranchOnly }: BranchDraft): string[] {
  const { include } = patternsOf(branches);
  if (defaultBranchOnly) return [defaultBranch];
  return include.length === 0 ? [anything] : include;
}

export function chosenRepositories({ repositories }: Pick<RuleDraft, 'repositories'>): string[] {
  const { include } = patternsOf(repositories);
  return include.length === 0 ? [anything] : include;
}

/** The draft after a choice. Nothing chosen is the default branch again. */
export function chooseBranches(draft: BranchDraft, values: readonly string[]): BranchDraft {
  const added = values.find((value) => !chosenBranches(draft).includes(value));
  const names = values.filter((value) => !isWhole(value));
  if (added !== undefined && isWhole(added))
    return { defaultBranchOnly: added === defaultBranch, branches: withInclude(draft.branches, []) };
  return { defaultBranchOnly: names.length === 0, branches: withInclude(draft.branches, names) };
}

export function chooseRepositories(
  draft: Pick<RuleDraft, 'repositories'>,
  values: readonly string[],
): Pick<RuleDraft, 'repositories'> {
  const added = values.find((value) => !chosenRepositories(draft).includes(value));
  const names = added === anything ? [] : values.filter((value) => !isWhole(value));
  return { repositories: withInclude(draft.repositories, names) };
}

function withInclude(patterns: string, include: readonly string[]): string {
  return patternText({ include: [...include], exclude: patternsOf(patterns).exclude });
}
