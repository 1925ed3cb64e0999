import { useId, type ComponentProps, type ReactNode } from 'react';

const look =
  'w-full rounded-md border border-line-strong bg-surface px-2.5 disabled:opacity-60 aria-invalid:border-failed pointer-coarse:text-lg';
const height = 'h-8 pointer-coarse:h-10';

interface Described {
  label: string;
  /** What is expected, below the field. */
  hint?: ReactNode;
  /** What is wrong with what was entered; read out together with the field. */
  error?: string | undefined;
}

export function TextField({
  label,
  hint,
  error,
  className = '',
  ...props
}: Described & ComponentProps<'input'>) {
  return (
    <Described label={label} hint={hint} error={error}>
      {(described) => (
        <input type="text" className={`${look} ${height} ${className}`} {...described} {...props} />
      )}
    </Described>
  );
}

export function SelectField({
  label,
  hint,
  error,
  options,
  className = '',
  ...props
}: Described &
  Omit<ComponentProps<'select'>, 'children'> & {
    options: readonly { value: string; label: string; disabled?: boolean }[];
  }) {
  return (
    <Described label={label} hint={hint} error={error}>
      {(described) => (
        <select className={`${look} ${height} ${className}`} {...described} {...props}>
          {options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.disabled === true}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Described>
  );
}

/** A box to tick, or with `type="radio"` one of several. */
export function CheckField({
  label,
  hint,
  type = 'checkbox',
  ...props
}: { label: ReactNode; hint?: ReactNode; type?: 'checkbox' | 'radio' } & Omit<
  ComponentProps<'input'>,
  'type'
>) {
  const id = useId();
  return (
    <div className="flex items-start gap-2.5 py-1">
      <input
        id={id}
        type={type}
        className="mt-0.5 size-4 shrink-0 accent-accent"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        {...props}
      />
      <div className="min-w-0">
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

/** Fields that belong together, under one name. */
export function FieldGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <fieldset className="flex flex-col">
      <legend className="mb-1 font-medium">{label}</legend>
      {children}
    </fieldset>
  );
}

function Described({
  label,
  hint,
  error,
  children,
}: Described & {
  children: (props: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode;
}) {
  const id = useId();
  const below = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(error === undefined ? [] : [`${id}-error`]),
  ].join(' ');
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({
        id,
        ...(below === '' ? {} : { 'aria-describedby': below }),
        ...(error === undefined ? {} : { 'aria-invalid': true as const }),
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-muted">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="text-failed">
          {error}
        </p>
      )}
    </div>
  );
}
