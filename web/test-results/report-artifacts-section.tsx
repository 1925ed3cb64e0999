import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReportArtifacts } from '#contract/tests/tests.ts';
import { sendJson } from '../api/client.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { toast } from '../ui/dialog/toast.ts';
import { TextField } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';

interface ReportArtifactsProps {
  integrationId: string;
  /** Why this person cannot change them. */
  reason: string | undefined;
}

/** Which artifacts are read for reports of tests. */
export function ReportArtifactsSection(props: ReportArtifactsProps) {
  const path = `/api/integrations/${props.integrationId}/report-artifacts`;
  const reading = useQuery(jsonQuery<ReportArtifacts>(path));
  return (
    <Section
      title="Test reports"
      note="When an attempt of a run completes, the reports in its artifacts are read through the connection to the forge. Jobs can upload reports, too."
    >
      <Loaded reading={reading} what="names of artifacts" skeletonRows={1}>
        {({ patterns }) => <PatternsForm path={path} patterns={patterns} {...props} />}
      </Loaded>
    </Section>
  );
}

function PatternsForm({
  path,
  patterns,
  reason,
}: ReportArtifactsProps & { path: string; patterns: readonly string[] }) {
  const client = useQueryClient();
  const saved = patterns.join(', ');
  const [text, setText] = useState<string>();
  const save = useMutation({
    mutationFn: (body: ReportArtifacts) => sendJson<ReportArtifacts>('PUT', path, body),
    onSuccess: (changed) => {
      client.setQueryData([path], changed);
      setText(undefined);
      toast('Names of artifacts changed');
    },
  });
  const chosen = (text ?? saved).split(',').flatMap((pattern) => pattern.trim() || []);
  return (
    <Form
      submit="Save names"
      variant="plain"
      request={save}
      reason={reason ?? (chosen.join(', ') === saved ? 'No changes' : undefined)}
      onSubmit={() => save.mutate({ patterns: chosen })}
    >
      <TextField
        name="patterns"
        label="Names of artifacts"
        hint="Separated by commas. * stands for any text. Without a name no artifact is read."
        value={text ?? saved}
        disabled={reason !== undefined}
        onChange={({ target }) => setText(target.value)}
      />
      {reason && <p className="text-muted">{reason}.</p>}
    </Form>
  );
}
