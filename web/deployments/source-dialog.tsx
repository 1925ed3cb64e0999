import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { KnownWorkflows } from '#contract/alerts/known-workflows.ts';
import type { DeploymentSourceBody, DeploymentSourcePage } from '#contract/metrics/deployments.ts';
import { sendJson } from '../api/client.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { CheckField, FieldGroup, SelectField, TextField } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';
import { formatCount } from '../ui/locale.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { useSave } from '../ui/use-save.ts';

interface Choice {
  label: string;
  source: DeploymentSourceBody;
}

type Kind = 'environment' | 'workflow';

/** Declares an environment, a workflow or a job as production. Nothing is chosen for the person. */
export function SourceDialog({
  integrationId,
  path,
  page,
  onClose,
}: {
  integrationId: string;
  path: string;
  page: DeploymentSourcePage;
  onClose: () => void;
}) {
  const known = useQuery(
    jsonQuery<KnownWorkflows>(`/api/integrations/${integrationId}/notification-rules/known-workflows`),
  );
  const environment = page.environments
    .filter(({ environment: name }) => page.items.every((item) => item.environment !== name))
    .map(({ environment: name, deployments, isProduction }) => ({
      source: { environment: name },
      label: `${name}: ${formatCount(deployments, 'deployment')}${isProduction ? ', production at the forge' : ''}`,
    }));
  return (
    <Dialog title="Declare production" onClose={onClose}>
      <Loaded reading={known} what="workflows" skeletonRows={2}>
        {({ items }) => {
          const workflow = items.flatMap((each) =>
            each.workflow === null
              ? []
              : {
                  source: { repository: each.repository, workflow: each.workflow },
                  label: `${each.repository}: ${each.workflow}`,
                },
          );
          return <SourceForm path={path} choices={{ environment, workflow }} onClose={onClose} />;
        }}
      </Loaded>
    </Dialog>
  );
}

function SourceForm({
  path,
  choices,
  onClose,
}: {
  path: string;
  choices: Record<Kind, readonly Choice[]>;
  onClose: () => void;
}) {
  const [kind, setKind] = useState<Kind>('environment');
  const [index, setIndex] = useState('');
  const [job, setJob] = useState('');
  const declare = useSave({
    path,
    send: (body: DeploymentSourceBody) => sendJson('POST', path, body),
    done: 'Declared as production',
    onSaved: onClose,
  });
  const chosen = choices[kind][Number(index || NaN)]?.source;
  const ofJob = kind === 'workflow' && job.trim() !== '' ? { job: job.trim() } : {};
  const choose = (next: Kind) => {
    setKind(next);
    setIndex('');
  };
  return (
    <Form
      submit="Declare"
      request={declare}
      onSubmit={() => chosen && declare.mutate({ ...chosen, ...ofJob })}
      onCancel={onClose}
    >
      <KindField kind={kind} onChoose={choose} />
      <ChoiceField kind={kind} choices={choices[kind]} index={index} onChoose={setIndex} />
      {kind === 'workflow' && (
        <TextField
          name="job"
          label="Job"
          hint="The name of the job that deploys. Empty: the whole run."
          maxLength={255}
          value={job}
          onChange={({ target }) => setJob(target.value)}
        />
      )}
    </Form>
  );
}

const kindNames: Record<Kind, string> = {
  environment: 'An environment of GitHub',
  workflow: 'A workflow on the default branch',
};

function KindField({ kind, onChoose }: { kind: Kind; onChoose: (kind: Kind) => void }) {
  return (
    <FieldGroup label="What deploys">
      {(['environment', 'workflow'] as const).map((each) => (
        <CheckField
          key={each}
          type="radio"
          name="kind"
          label={kindNames[each]}
          checked={kind === each}
          onChange={() => onChoose(each)}
        />
      ))}
    </FieldGroup>
  );
}

function ChoiceField({
  kind,
  choices,
  index,
  onChoose,
}: {
  kind: Kind;
  choices: readonly Choice[];
  index: string;
  onChoose: (index: string) => void;
}) {
  const isEnvironment = kind === 'environment';
  const ofNone = isEnvironment
    ? 'No other environment is known. The webhook at the forge must send deployment statuses.'
    : 'No workflow has run yet.';
  const hint = isEnvironment
    ? 'Of all repositories.'
    : 'For forges that do not report deployments, such as Gitea and Forgejo.';
  return (
    <SelectField
      name={kind}
      label={isEnvironment ? 'Environment' : 'Workflow'}
      hint={choices.length === 0 ? ofNone : hint}
      problem={index === '' ? `Choose ${isEnvironment ? 'an environment' : 'a workflow'}.` : undefined}
      options={[
        { value: '', label: 'Choose…' },
        ...choices.map(({ label }, at) => ({ value: String(at), label })),
      ]}
      value={index}
      onChange={({ target }) => onChoose(target.value)}
    />
  );
}
