import { createContext, use, useId, type ComponentProps, type ReactNode } from 'react';
import { useFault } from './form-faults.ts';

const look =
  'w-full rounded-md border border-line-strong bg-surface px-2.5 disabled:opacity-60 aria-invalid:border-failed pointer-coarse:text-lg';
const height = 'h-8 pointer-coarse:h-10';

interface Described {
  label: string;
  /** Help text below the field. */
  hint?: ReactNode;
  /** The problem with the current value, shown on submit. */
  problem?: string | undefined;
}

export function TextField({
  label,
  hint,
  problem,
  className = '',
  ...props
}: Described & ComponentProps<'input'>) {
  return (
    <Described label={label} hint={hint} name={props.name}>
      {(described) => (
        <input
          type="text"
          autoComplete="off"
          className={`${look} ${height} ${className}`}
          data-problem={problem}
          {...described}
          {...props}
        />
      )}
    </Described>
  );
}

export function SelectField({
  label,
  hint,
  problem,
  options,
  className = '',
  ...props
}: Described &
  Omit<ComponentProps<'select'>, 'children'> & {
    options: readonly { value: string; label: string; disabled?: boolean }[];
  }) {
  return (
    <Described label={label} hint={hint} name={props.name}>
      {(described) => (
        <select className={`${look} ${height} ${className}`} data-problem={problem} {...described} {...props}>
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

/** A checkbox, or a radio button with `type="radio"`. */
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
  const groupFault = use(GroupFault);
  const below = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(groupFault === undefined ? [] : [groupFault]),
  ];
  return (
    <div className="flex items-start gap-2.5 py-1">
      <input
        id={id}
        type={type}
        className="mt-0.5 size-4 shrink-0 accent-accent"
        aria-describedby={below.length === 0 ? undefined : below.join(' ')}
        aria-invalid={groupFault === undefined ? undefined : true}
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

/** The id of the error of the surrounding group. */
const GroupFault = createContext<string | undefined>(undefined);

/** A named group of fields with a common error. */
export function FieldGroup({
  label,
  name,
  problem,
  children,
}: Pick<Described, 'problem'> & { label: string; name?: string; children: ReactNode }) {
  const id = useId();
  const fault = useFault(name, true);
  return (
    <fieldset className="flex flex-col" name={name} data-problem={problem}>
      <legend className="mb-1 font-medium">{label}</legend>
      <GroupFault value={fault === undefined ? undefined : id}>{children}</GroupFault>
      {fault !== undefined && (
        <p id={id} className="text-failed">
          {fault}
        </p>
      )}
    </fieldset>
  );
}

function Described({
  label,
  hint,
  name,
  children,
}: Omit<Described, 'problem'> & {
  name: string | undefined;
  children: (props: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode;
}) {
  const id = useId();
  const error = useFault(name);
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
