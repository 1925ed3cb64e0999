import type { Member } from '#contract/members/members.ts';
import { clip } from '../ui/text/clip.ts';

/** The display name of a person. The forge or identity provider may provide no name. */
export function personName({ name, forgeLogin, email }: Member['user']): string {
  return clip(name ?? forgeLogin ?? email ?? 'Somebody without a name', 80);
}
