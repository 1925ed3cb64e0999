/** A choice between a few visible values. */
export function ChoiceRow<Value extends string>({
  label,
  value,
  choices,
  onChoose,
}: {
  label: string;
  value: Value;
  choices: readonly { value: Value; label: string }[];
  onChoose: (value: Value) => void;
}) {
  return (
    <fieldset className="inline-flex rounded-md border border-line-strong">
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          className={`min-h-7 border-r border-line-strong px-2.5 max-sm:px-2 first:rounded-l-md last:rounded-r-md last:border-r-0 pointer-coarse:min-h-9 ${
            choice.value === value ? 'bg-hover font-semibold' : 'text-muted hover:bg-hover'
          }`}
          onClick={() => onChoose(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}
