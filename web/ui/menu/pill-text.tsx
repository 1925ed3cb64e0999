import ChevronDown from 'lucide-react/icons/chevron-down';

/** The text of a filter button with its value. On a phone the arrow gives way to further buttons in the line. */
export function PillText({ name, value }: { name: string; value: string | undefined }) {
  return (
    <>
      {name}
      {value !== undefined && <bdi className="truncate font-semibold">{value}</bdi>}
      <ChevronDown size={14} aria-hidden className="shrink-0 max-md:hidden" />
    </>
  );
}
