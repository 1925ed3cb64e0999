import { matchesGlob } from '#contract/alerts/glob.ts';

/** A job as a check of a commit. */
export interface NamedCheck {
  workflow: string | null;
  event: string | null;
  name: string;
}

/** The checks that a branch requires. */
export interface RequiredNames {
  /** Null when they are not known. */
  checks: readonly string[] | null;
  /** Patterns of `workflow / job (event)`, as Gitea and Forgejo take them. GitHub names a check like its job. */
  arePatterns: boolean;
}

export function isCheck(
  required: string,
  arePatterns: boolean,
  { workflow, event, name }: NamedCheck,
): boolean {
  return arePatterns
    ? matchesGlob(`${workflow ?? ''} / ${name} (${event ?? ''})`, required, 'character')
    : required === name;
}

/** Forges let skipped and neutral checks pass. */
export function passes(conclusion: string | null): boolean {
  return ['success', 'skipped', 'neutral'].includes(conclusion ?? '');
}
