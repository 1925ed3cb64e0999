import { TextField } from './field.tsx';

/** The name of an entry in a list. The server accepts at most 100 characters. */
export function NameField({
  hint,
  value,
  onChange,
}: {
  hint: string;
  value: string;
  onChange: (name: string) => void;
}) {
  return (
    <TextField
      name="name"
      label="Name"
      hint={hint}
      required
      maxLength={100}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
