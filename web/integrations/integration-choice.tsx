import type { User } from '#contract/members/identity.ts';
import { CheckField, FieldGroup } from '../ui/form/field.tsx';

/** Which integrations of a person something is for. Null: all, also later ones. */
export function IntegrationChoice({
  memberships,
  chosen,
  onChange,
}: {
  memberships: User['memberships'];
  chosen: string[] | null;
  onChange: (chosen: string[] | null) => void;
}) {
  return (
    <FieldGroup
      label="Integrations"
      name="integrationIds"
      problem={chosen?.length === 0 ? 'Select at least one integration' : undefined}
    >
      <CheckField
        label="All my integrations, also later ones"
        checked={chosen === null}
        onChange={({ target }) => onChange(target.checked ? null : [])}
      />
      {chosen !== null &&
        memberships.map(({ integrationId, label }) => (
          <CheckField
            key={integrationId}
            label={<bdi>{label}</bdi>}
            checked={chosen.includes(integrationId)}
            onChange={({ target }) =>
              onChange(
                target.checked ? [...chosen, integrationId] : chosen.filter((each) => each !== integrationId),
              )
            }
          />
        ))}
    </FieldGroup>
  );
}
