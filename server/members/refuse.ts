import { AppError } from '#platform/runtime/app-error.ts';
import type { Verdict } from './rules.ts';

const details: Record<Exclude<Verdict, 'yes'>, string> = {
  insufficient_role: 'This requires the role admin in the integration.',
  own_role_not_changeable: 'Ask the owner of the integration. An owner can transfer the ownership instead.',
  owner_not_assignable: 'The owner can transfer the ownership to a member.',
  owner_not_removable: 'The owner has to transfer the ownership first.',
  admin_not_manageable: 'Ask the owner of the integration.',
};

/** @throws AppError with the verdict as its code, unless it is yes */
export function throwUnlessAllowed(verdict: Verdict): void {
  if (verdict !== 'yes') throw new AppError(verdict, { detail: details[verdict] });
}
