import { useState } from 'react';
import { Dialog } from '../dialog/dialog.tsx';
import { localTime, toLocalTime, type TimeRange } from '../time/time-range.ts';
import { TextField } from './field.tsx';
import { Form } from './form.tsx';

/** Asks for the limits of a custom range. */
export function TimesDialog({
  title,
  submit,
  range,
  onChange,
  onClose,
}: {
  title: string;
  submit: string;
  range: TimeRange;
  onChange: (range: TimeRange) => void;
  onClose: () => void;
}) {
  const [from, setFrom] = useState(toLocalTime(range.from));
  const [to, setTo] = useState(toLocalTime(range.to));
  const isBackwards = from !== '' && to !== '' && from >= to;
  return (
    <Dialog title={title} leaving="closes" onClose={onClose}>
      <Form
        submit={submit}
        onSubmit={() => {
          onChange({ from: localTime(from), to: localTime(to) });
          onClose();
        }}
      >
        <TextField
          type="datetime-local"
          label="From"
          hint="In your time zone. Leave a field empty for no limit."
          value={from}
          onChange={({ target }) => setFrom(target.value)}
        />
        <TextField
          type="datetime-local"
          name="to"
          label="Until"
          problem={isBackwards ? 'Choose a time after the start.' : undefined}
          value={to}
          onChange={({ target }) => setTo(target.value)}
        />
      </Form>
    </Dialog>
  );
}
