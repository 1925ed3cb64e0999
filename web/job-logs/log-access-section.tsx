import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { LogAccess } from '#contract/failures/job-log.ts';
import { roles, type Role } from '#contract/members/roles.ts';
import { sendJson } from '../api/client.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { toast } from '../ui/dialog/toast.ts';
import { SelectField } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';

interface LogAccessProps {
  integrationId: string;
  /** Why this person cannot change it. */
  reason: string | undefined;
}

/** Who may read the logs of jobs. */
export function LogAccessSection(props: LogAccessProps) {
  const path = `/api/integrations/${props.integrationId}/log-access`;
  const reading = useQuery(jsonQuery<LogAccess>(path));
  return (
    <Section
      title="Logs"
      note="The log of a job is read from the forge when somebody opens it. Secrets in it are masked."
    >
      <Loaded reading={reading} what="access to logs" skeletonRows={1}>
        {({ role }) => <RoleForm path={path} role={role} {...props} />}
      </Loaded>
    </Section>
  );
}

const labels: Record<Role, string> = {
  viewer: 'Everybody in this integration',
  member: 'Members, admins and the owner',
  admin: 'Admins and the owner',
  owner: 'The owner',
};

function RoleForm({ path, role, reason }: LogAccessProps & { path: string; role: Role }) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<Role>();
  const save = useMutation({
    mutationFn: (body: LogAccess) => sendJson<LogAccess>('PUT', path, body),
    onSuccess: (changed) => {
      client.setQueryData([path], changed);
      setChosen(undefined);
      toast('Access to logs changed');
    },
  });
  const isSame = chosen === undefined || chosen === role;
  return (
    <Form
      submit="Save access"
      variant="plain"
      request={save}
      reason={reason ?? (isSame ? 'No changes' : undefined)}
      onSubmit={() => save.mutate({ role: chosen ?? role })}
    >
      <SelectField
        name="role"
        label="Who may read logs"
        value={chosen ?? role}
        disabled={reason !== undefined}
        options={roles.map((each) => ({ value: each, label: labels[each] }))}
        onChange={({ target }) => setChosen(roles.find((each) => each === target.value))}
      />
      {reason && <p className="text-muted">{reason}.</p>}
    </Form>
  );
}
