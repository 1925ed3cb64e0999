interface Parameter {
  $ref?: string;
  name?: string;
}

/** Replaces each parameter that operations share by a reference to it. Returns the shared ones for the components. */
export function shareParameters(
  operations: readonly { parameters?: Parameter[] }[],
): Record<string, Parameter> {
  const alike = Map.groupBy(
    operations.flatMap(({ parameters = [] }) => parameters),
    (parameter) => JSON.stringify(parameter),
  );
  const shared: Record<string, Parameter> = {};
  const names = new Map<string, string>();
  for (const [key, [parameter, second]] of alike) {
    if (parameter?.name === undefined || second === undefined) continue;
    const others = Object.values(shared).filter(({ name }) => name === parameter.name).length;
    const name = others === 0 ? parameter.name : `${parameter.name}${others + 1}`;
    shared[name] = parameter;
    names.set(key, name);
  }
  for (const operation of operations)
    operation.parameters &&= operation.parameters.map((parameter) => {
      const name = names.get(JSON.stringify(parameter));
      return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
    });
  return shared;
}
