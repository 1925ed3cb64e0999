import CircleAlert from 'lucide-react/icons/circle-alert';
import {
  useRef,
  type FormEvent,
  type ReactNode,
  useEffect,
  useState,
  type RefObject,
  type SyntheticEvent,
} from 'react';
import { Button } from '../button.tsx';
import {
  FormFaults,
  faultsIn,
  inPlainWords,
  isAt,
  placeOf,
  type FieldFault,
  type Place,
} from './form-faults.ts';

const nothing = { isPending: false, error: null };

/**
 * A form with one submit button. Field errors are shown at the field with that `name`, other errors above the button.
 * Input is kept.
 */
export function Form({
  submit,
  request = nothing,
  onSubmit,
  reason,
  variant = 'primary',
  children,
  onCancel,
  beside,
}: {
  /** The text of the submit button. */
  submit: string;
  /** What the form sends. A form that sends nothing has none. */
  request?: { isPending: boolean; error: FormFailure | null };
  onSubmit: () => void;
  /** Why this person cannot submit it. */
  reason?: string | undefined;
  variant?: 'plain' | 'primary' | 'danger';
  children?: ReactNode;
  /** Adds a cancel button. */
  onCancel?: (() => void) | undefined;
  /** Beside the submit button. */
  beside?: ReactNode;
}) {
  const { isPending, error } = request;
  const form = useRef<HTMLFormElement>(null);
  const { atFields, others, look, passes, forget } = useFaults(form, error);
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!isPending && reason === undefined && passes(event.currentTarget)) onSubmit();
  };
  return (
    // The browser's own messages disappear and are not announced with the field.
    <form
      ref={form}
      noValidate
      className="flex flex-col gap-4"
      onClickCapture={look}
      onSubmit={send}
      onChange={forget}
    >
      <FormFaults value={atFields}>{children}</FormFaults>
      {atFields.length > 0 && <p className="text-failed">Correct the marked fields.</p>}
      {error !== null && (others.length > 0 || !error.fields?.length) && (
        <FormError error={{ ...error, message: withFaults(error.message, others) }} />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" variant={variant} reason={reason} aria-busy={isPending} disabled={isPending}>
          {submit}
        </Button>
        {beside}
        {onCancel && (
          <Button disabled={isPending} onClick={onCancel}>
            Cancel
          </Button>
        )}
        {isPending && <output className="text-muted">Sending…</output>}
      </div>
    </form>
  );
}

const withFaults = (message: string, faults: readonly { field: string; message: string }[]): string =>
  [message, ...faults.map((fault) => `${fault.field}: ${fault.message}`)].join(' ');

/** The error of an action on a page whose content has no margin. */
export function PageError({ error }: { error: FormFailure | null }) {
  return (
    error && (
      <div className="px-4 py-2">
        <FormError error={error} />
      </div>
    )
  );
}

/** The error of an action, shown beside its button. */
export function FormError({ error }: { error: FormFailure }) {
  return (
    <div role="alert" className="flex items-start gap-2 text-failed">
      <CircleAlert size={15} aria-hidden className="mt-0.5 shrink-0" />
      <div className="min-w-0">
        {error.message}
        {error.requestId !== undefined && (
          <span className="block text-xs text-muted">
            Request <code className="font-mono break-all select-all">{error.requestId}</code>
          </span>
        )}
      </div>
    </div>
  );
}

/** An error of a request, with `fields` for validation errors. */
interface FormFailure {
  message: string;
  requestId?: string | undefined;
  fields?: readonly FieldFault[];
}

/** Errors found before the request. */
interface Found {
  fields: readonly FieldFault[];
}

/**
 * The errors of a form, from the browser or the server. The first invalid field gets the focus. Editing a field
 * clears its error.
 */
function useFaults(form: RefObject<HTMLFormElement | null>, error: FormFailure | null) {
  const [found, setFound] = useState<Found | null>(null);
  const [places, setPlaces] = useState<readonly Place[]>([]);
  const [changed, setChanged] = useState<{ since: unknown; places: readonly Place[] }>();
  const source = found ?? error;
  const changedPlaces = changed?.since === source ? changed.places : [];
  const hasPlace = (fault: FieldFault): boolean => places.some((place) => isAt(place, fault));
  const faults = (source?.fields ?? []).map(({ field, message }) => ({
    field,
    message: inPlainWords(message),
  }));
  const atFields = faults.filter(
    (fault) => hasPlace(fault) && !changedPlaces.some((place) => isAt(place, fault)),
  );
  const focusedFor = useRef<unknown>(null);
  useEffect(() => {
    if (atFields.length === 0 || focusedFor.current === source) return;
    focusedFor.current = source;
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  });
  return {
    atFields,
    /** Errors that belong to no field. */
    others: faults.filter((fault) => !hasPlace(fault)),
    /** Called before an action, so that its errors can be placed at the current fields. */
    look: ({ currentTarget }: SyntheticEvent<HTMLFormElement>): void =>
      setPlaces([...currentTarget.elements].map(placeOf)),
    /** Validates the form before submit; false when errors are shown. */
    passes: (sent: HTMLFormElement): boolean => {
      const fields = faultsIn(sent);
      setFound(fields.length === 0 ? null : { fields });
      return fields.length === 0;
    },
    forget: ({ target }: FormEvent): void => {
      const field = target as HTMLElement;
      const around = [field, field.closest('fieldset')].filter((each) => each !== null);
      setChanged({ since: source, places: [...changedPlaces, ...around.map(placeOf)] });
    },
  };
}
