/** The steps whose value has no neighbour, so that no line reaches them. */
export function isolatedSteps(values: readonly (number | null | undefined)[]): number[] {
  const hasValue = (step: number): boolean => typeof values[step] === 'number';
  return [...values.keys()].filter((step) => hasValue(step) && !hasValue(step - 1) && !hasValue(step + 1));
}
