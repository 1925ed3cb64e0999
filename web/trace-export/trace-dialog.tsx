import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import {
  maxExportHeaders,
  type TraceExport,
  type TraceExportBody,
} from '#contract/integrations/trace-export.ts';
import { sendJson } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { toast } from '../ui/dialog/toast.ts';
import { CheckField, TextField } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';
import { tracesPath } from './trace-queries.ts';

type Header = NonNullable<TraceExportBody['headers']>[number];
const noHeader: Header = { name: '', value: '' };

/** Saved values of headers cannot be read, so they are kept or replaced together. */
export function TraceDialog({
  integrationId,
  saved,
  onSaved,
  onClose,
}: {
  integrationId: string;
  saved: TraceExport | null;
  onSaved: () => Promise<unknown>;
  onClose: () => void;
}) {
  const [url, setUrl] = useState(saved?.url ?? '');
  const [enabled, setEnabled] = useState(saved?.enabled ?? true);
  const [metrics, setMetrics] = useState(saved !== null && saved.metrics !== null);
  const savedNames = saved?.headerNames ?? [];
  const [isReplaced, setReplaced] = useState(savedNames.length === 0);
  const [headers, setHeaders] = useState<readonly Header[]>([]);
  const save = useSave(integrationId, onSaved, onClose);
  return (
    <Dialog title="Export of traces and metrics" onClose={onClose}>
      <Form
        submit="Save export"
        request={save}
        onSubmit={() =>
          save.mutate({ url: url.trim(), enabled, metrics, ...(isReplaced && { headers: [...headers] }) })
        }
        onCancel={onClose}
      >
        <UrlField url={url} onChange={setUrl} />
        {savedNames.length > 0 && (
          <CheckField
            label="Replace headers"
            hint={`Saved: ${savedNames.join(', ')}. Their values cannot be shown.`}
            checked={isReplaced}
            onChange={({ target }) => setReplaced(target.checked)}
          />
        )}
        {isReplaced && <HeaderFields headers={headers} onChange={setHeaders} />}
        <CheckField
          label="Export finished runs"
          checked={enabled}
          onChange={({ target }) => setEnabled(target.checked)}
        />
        <CheckField
          label="Also export metrics"
          hint="Runs, durations and queue times, every minute. Some tracing backends take no metrics."
          checked={metrics}
          disabled={!enabled}
          onChange={({ target }) => setMetrics(target.checked)}
        />
      </Form>
    </Dialog>
  );
}

function useSave(integrationId: string, onSaved: () => Promise<unknown>, onClose: () => void) {
  return useMutation({
    mutationFn: (body: TraceExportBody) => sendJson('PUT', tracesPath(integrationId), body),
    onSuccess: async () => {
      await onSaved();
      toast('Export saved');
      onClose();
    },
  });
}

function UrlField({ url, onChange }: { url: string; onChange: (url: string) => void }) {
  return (
    <TextField
      name="url"
      label="URL"
      hint="Base URL of OTLP over HTTP, such as https://otel.example.com:4318. Requests go to /v1/traces and /v1/metrics below it."
      type="url"
      required
      maxLength={1000}
      value={url}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

function HeaderFields({
  headers,
  onChange,
}: {
  headers: readonly Header[];
  onChange: (headers: readonly Header[]) => void;
}) {
  const change = (index: number, part: Partial<Header>): void =>
    onChange(headers.map((header, at) => (at === index ? { ...header, ...part } : header)));
  return (
    <div className="flex flex-col gap-3">
      {headers.map(({ name, value }, index) => (
        <div key={index} className="flex flex-col gap-2 border-l border-line pl-3">
          <TextField
            name={`headers.${index}.name`}
            label={`Header ${index + 1}`}
            required
            maxLength={64}
            value={name}
            onChange={({ target }) => change(index, { name: target.value })}
          />
          <TextField
            name={`headers.${index}.value`}
            label={`Value of header ${index + 1}`}
            type="password"
            required
            maxLength={4000}
            value={value}
            onChange={({ target }) => change(index, { value: target.value })}
          />
          <Button onClick={() => onChange(headers.filter((_, at) => at !== index))}>
            {`Remove header ${index + 1}`}
          </Button>
        </div>
      ))}
      {headers.length < maxExportHeaders && (
        <Button className="self-start" onClick={() => onChange([...headers, noHeader])}>
          Add header
        </Button>
      )}
    </div>
  );
}
