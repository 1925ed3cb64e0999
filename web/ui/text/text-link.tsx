import { createLink } from '@tanstack/react-router';
import ExternalLink from 'lucide-react/icons/external-link';
import type { ComponentProps, ReactNode } from 'react';

export const linkLook = 'text-accent underline';

/** A link in running text. */
export const TextLink = createLink(({ children, ...props }: ComponentProps<'a'>) => (
  <a {...props} className={linkLook}>
    {children}
  </a>
));

/** A link to a page of the forge in a new tab. `about` completes its text for screen readers. */
export function OutsideLink({
  href,
  about,
  className = '',
  children,
}: {
  href: string;
  about: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      className={`inline-flex items-center gap-1 ${linkLook} ${className}`}
    >
      {children} <ExternalLink size={12} aria-hidden />
      <span className="sr-only">{about}, opens a new tab</span>
    </a>
  );
}
