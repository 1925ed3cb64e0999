/** The first element in tab order. It skips the sidebar. */
export function SkipLink() {
  return (
    <a
      href="#page"
      className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
    >
      Skip to content
    </a>
  );
}
