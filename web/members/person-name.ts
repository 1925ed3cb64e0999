import type { Member } from '#contract/members.ts';
import { clip } from '../ui/text/clip.ts';

/** What a person is called here; forges and identity providers may have told no name. */
export function personName({ name, forgeLogin, email }: Member['user']): string {
  return clip(name ?? forgeLogin ?? email ?? 'Somebody without a name', 80);
}
