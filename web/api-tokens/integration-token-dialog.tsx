import { useState } from 'react';
import type { IntegrationTokenBody } from '#contract/members/api-tokens.ts';
import { CheckField, FieldGroup } from '../ui/form/field.tsx';
import { TokenDialog } from './token-dialog.tsx';

type Role = IntegrationTokenBody['role'];

const roles: { role: Role; hint: string }[] = [
  { role: 'viewer', hint: 'Reads lists, runs, metrics and live updates.' },
  { role: 'member', hint: 'Also changes what members may change, such as notification rules.' },
  { role: 'reports', hint: 'Only uploads test reports from jobs.' },
];

export function IntegrationTokenDialog({ path, onClose }: { path: string; onClose: () => void }) {
  const [chosen, setChosen] = useState<Role>('viewer');
  return (
    <TokenDialog path={path} rights={{ role: chosen }} onClose={onClose}>
      <FieldGroup label="Role" name="role">
        {roles.map(({ role, hint }) => (
          <CheckField
            key={role}
            type="radio"
            name="token-role"
            label={role}
            hint={hint}
            checked={role === chosen}
            onChange={() => setChosen(role)}
          />
        ))}
      </FieldGroup>
    </TokenDialog>
  );
}
