import { useEffect, useRef, useState, type FormEvent, type RefObject, type SyntheticEvent } from 'react';
import { faultsIn, inPlainWords, isAt, placeOf, type FieldFault, type Place } from './form-faults.ts';

/** An error of a request, with `fields` for validation errors. */
export interface FormFailure {
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
export function useFaults(form: RefObject<HTMLFormElement | null>, error: FormFailure | null) {
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
