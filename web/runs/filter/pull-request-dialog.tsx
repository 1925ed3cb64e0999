import { useState } from 'react';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';

/** Asks for the number of a pull request. */
export function PullRequestDialog({
  onChoose,
  onClose,
}: {
  onChoose: (number: number) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState('');
  const digits = /^\s*#?([1-9]\d{0,14})\s*$/.exec(text)?.[1];
  return (
    <Dialog title="Runs of a pull request" leaving="closes" onClose={onClose}>
      <Form
        submit="Show runs"
        onSubmit={() => {
          onChoose(Number(digits));
          onClose();
        }}
      >
        <TextField
          label="Number"
          name="number"
          inputMode="numeric"
          placeholder="412"
          problem={digits === undefined ? 'Enter the number of a pull request, such as 412.' : undefined}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </Form>
    </Dialog>
  );
}
