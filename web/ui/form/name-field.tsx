import { TextField } from './field.tsx';

/** The name by which people find a thing in a list, as long as the server accepts it. */
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
      autoComplete="off"
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
