/** Placeholder rows while data loads. */
export function SkeletonRows({ label, count = 18 }: { label: string; count?: number }) {
  return (
    <div className="overflow-hidden">
      <output className="sr-only">{label}</output>
      {Array.from({ length: count }, (_, index) => (
        <div
          key={index}
          aria-hidden
          className="flex h-[34px] items-center gap-6 border-b border-line px-4 motion-safe:animate-pulse"
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
