/** Placeholder rows while data loads. */
export function SkeletonRows({
  label,
  count = 18,
  hasMargins = false,
}: {
  label: string;
  count?: number;
  /** Its surroundings have them. */
  hasMargins?: boolean;
}) {
  return (
    <div className="overflow-hidden">
      <output className="sr-only">{label}</output>
      {Array.from({ length: count }, (_, index) => (
        <div
          key={index}
          aria-hidden
          className={`flex h-[34px] items-center gap-6 border-line motion-safe:animate-pulse ${hasMargins ? 'not-last:border-b' : 'border-b px-4'}`}
        >
          <span className="h-2.5 w-20 shrink-0 rounded bg-line" />
          <span className="h-2.5 w-[30%] rounded bg-line" />
          <span className="h-2.5 w-[18%] rounded bg-line" />
          <span className="ml-auto h-2.5 w-14 shrink-0 rounded bg-line" />
        </div>
      ))}
    </div>
  );
}
