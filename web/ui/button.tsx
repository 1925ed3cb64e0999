import type { ComponentProps } from 'react';

const look =
  'inline-flex h-7 items-center justify-center gap-1.5 rounded-md border px-2.5 whitespace-nowrap disabled:opacity-60 pointer-coarse:h-9';

const variants = {
  plain: 'border-line-strong bg-surface hover:bg-hover',
  primary: 'border-accent bg-accent text-on-accent font-medium',
  bare: 'border-transparent text-muted hover:bg-hover hover:text-text',
} as const;

export function Button({
  variant = 'plain',
  className = '',
  type = 'button',
  ...props
}: ComponentProps<'button'> & { variant?: keyof typeof variants }) {
  return <button type={type} className={`${look} ${variants[variant]} ${className}`} {...props} />;
}

/** A button that shows only an icon; `label` is what it is called. */
export function IconButton({
  label,
  className = '',
  ...props
}: ComponentProps<'button'> & { label: string }) {
  return (
    <Button
      variant="bare"
      aria-label={label}
      title={label}
      className={`w-7 px-0 pointer-coarse:w-9 ${className}`}
      {...props}
    />
  );
}
