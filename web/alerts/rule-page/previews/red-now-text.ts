export interface EditedRule {
  /** It has not been saved before. */
  isNew: boolean;
  isOn: boolean;
  hasChannels: boolean;
}

/** What saving a rule does about the workflows that are red now. */
export function redNowText(redNow: number, { isNew, isOn, hasChannels }: EditedRule): string {
  const isOne = redNow === 1;
  if (!isOn) return `The rule is off and does nothing about ${isOne ? 'it' : 'them'}.`;
  const start = 'When you save the rule, it';
  if (!hasChannels)
    return `${start} opens an incident ${isOne ? 'unless there is one' : 'for each of them that has none'}.`;
  if (isNew) return `${start} notifies about ${isOne ? 'it' : 'each of them'}.`;
  return isOne
    ? `${start} notifies about it, unless it did before.`
    : `${start} notifies about each of them that it has not notified about before.`;
}
