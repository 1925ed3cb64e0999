import type { Static, TObject } from 'typebox';
import type { Columns, HiddenColumn, RowOf } from './columns.ts';

/** Each column has a field in the API object, in its form, or is hidden. */
type ShownIn<Api, Declared> = {
  [Field in keyof Declared]: Field extends keyof Api
    ? { type: { show?(value: never): Api[Field] } }
    : HiddenColumn;
};

/** The fields of the API object that no column has, each as a function of the row. */
type Computed<Api, Declared> = {
  [Field in Exclude<keyof Api, keyof Declared>]: (row: RowOf<Declared>) => Api[Field];
};

/** Returns the function from a row to its API object, whose fields are in the order of the contract. */
export function apiObjectOf<Schema extends TObject, Declared extends Columns>(
  schema: Schema,
  columns: Declared & ShownIn<Static<Schema>, Declared>,
  computed: Computed<Static<Schema>, Declared>,
): (row: RowOf<Declared>) => Static<Schema> {
  const functions = computed as Record<string, (row: unknown) => unknown>;
  const fields = Object.keys(schema.properties).map((name) => {
    return { name, show: (columns as Columns)[name]?.type.show, compute: functions[name] };
  });
  return (row) => {
    const object: Record<string, unknown> = {};
    for (const { name, show, compute } of fields) {
      const value = compute === undefined ? row[name] : compute(row);
      object[name] = show === undefined || value === null ? value : show(value!);
    }
    return object as Static<Schema>;
  };
}
