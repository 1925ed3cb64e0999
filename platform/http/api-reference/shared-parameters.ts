interface Parameter {
  name: string;
  in: string;
}

export interface WithParameters {
  parameters?: (Parameter | { $ref: string })[];
}

/** Replaces parameters that several operations take by references: the document stays small. Returns those that they share, by name. */
export function shareParameters(operations: readonly WithParameters[]): Record<string, Parameter> {
  const all = operations.flatMap(({ parameters = [] }) => parameters.filter((each) => 'name' in each));
  const byText = Map.groupBy(all, (parameter) => JSON.stringify(parameter));
  const shared: Record<string, Parameter> = {};
  const names = new Map<string, string>();
  for (const [text, [parameter, ...others]] of byText) {
    if (parameter === undefined || others.length === 0) continue;
    const taken = Object.keys(shared).filter((name) => name.replace(/\d+$/, '') === parameter.name).length;
    const name = taken === 0 ? parameter.name : `${parameter.name}${taken + 1}`;
    shared[name] = parameter;
    names.set(text, name);
  }
  for (const operation of operations)
    operation.parameters = operation.parameters?.map((parameter) => {
      const name = names.get(JSON.stringify(parameter));
      return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
    });
  return shared;
}
