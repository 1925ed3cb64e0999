import { useState } from 'react';
import { quarantineDays, type QuarantineBody, type TestSummary } from '#contract/tests/tests.ts';
import { sendJson } from '../api/client.ts';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { useSave } from '../ui/use-save.ts';
import { SelectField, TextField } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';
import { testsPath } from './tests-path.ts';

const dayMs = 86_400_000;
const choices = [7, quarantineDays.usual, 30, quarantineDays.most];

/** Puts a test into quarantine, or changes reason and end. The person becomes its owner. */
export function QuarantineDialog({
  integrationId,
  test: { testId, quarantine },
  onClose,
}: {
  integrationId: string;
  test: TestSummary;
  onClose: () => void;
}) {
  const [reason, setReason] = useState(quarantine?.reason ?? '');
  const [days, setDays] = useState<number>(quarantineDays.usual);
  const path = testsPath(integrationId);
  const save = useSave({
    path,
    send: () => {
      // A minute less, because the clock of the server may be behind.
      const until = new Date(Date.now() + days * dayMs - 60_000).toISOString();
      const body: QuarantineBody = { reason: reason.trim(), until };
      return sendJson('PUT', `${path}/${testId}/quarantine`, body);
    },
    done: `In quarantine for ${days} days`,
    onSaved: onClose,
  });
  return (
    <Dialog title="Quarantine this test" onClose={onClose}>
      <Form submit="Quarantine" request={save} onSubmit={() => save.mutate()} onCancel={onClose}>
        <p className="text-muted">
          Its failures do not fail <code>forgewatch gate</code>, and rules can leave them out. You become its
          owner.
        </p>
        <TextField
          name="reason"
          label="Reason"
          hint="Everybody in the integration sees it, and the event log records it."
          required
          maxLength={500}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        <SelectField
          name="until"
          label="For"
          options={choices.map((choice) => ({ value: String(choice), label: `${choice} days` }))}
          value={String(days)}
          onChange={({ target }) => setDays(Number(target.value))}
        />
      </Form>
    </Dialog>
  );
}
