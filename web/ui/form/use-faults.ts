import { useEffect, useRef, useState, type FormEvent, type RefObject, type SyntheticEvent } from 'react';
import { faultsIn, inPlainWords, isAt, placeOf, type FieldFault, type Place } from './form-faults.ts';

/** A failure of what was sent; `fields` where the server says which ones it does not take. */
export interface FormFailure {
  message: string;
  requestId?: string | undefined;
  fields?: readonly FieldFault[];
}

/** What was found before anything was sent. */
interface Found {
  fields: readonly FieldFault[];
}

/**
 * What is wrong with the fields of a form, found here or by the server. The first wrong field gets the focus; a fault goes
 * when its field is changed.
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
    /** Those without a field to stand at. */
    others: faults.filter((fault) => !hasPlace(fault)),
    /** Before a button of the form does something: faults can stand at the fields of now. */
    look: ({ currentTarget }: SyntheticEvent<HTMLFormElement>): void =>
      setPlaces([...currentTarget.elements].map(placeOf)),
    /** Looks at the form that is about to be sent; false when its faults are shown instead. */
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
