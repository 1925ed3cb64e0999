import type { ComponentProps } from 'react';

const look =
  'inline-flex h-7 items-center justify-center gap-1.5 rounded-md border whitespace-nowrap disabled:opacity-60 pointer-coarse:h-9';

const variants = {
  plain: 'border-line-strong bg-surface hover:bg-hover',
  primary: 'border-accent bg-accent text-on-accent font-medium',
  bare: 'border-transparent text-muted hover:bg-hover hover:text-text',
} as const;

interface ButtonProps extends ComponentProps<'button'> {
  variant?: keyof typeof variants;
}

export function Button({ variant = 'plain', className = '', type = 'button', ...props }: ButtonProps) {
  return <button type={type} className={`${look} px-2.5 ${variants[variant]} ${className}`} {...props} />;
}

/** A button that shows only an icon; `label` is what it is called. */
export function IconButton({
  label,
  variant = 'bare',
  className = '',
  type = 'button',
  ...props
}: ButtonProps & { label: string }) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      className={`${look} w-7 shrink-0 pointer-coarse:w-9 ${variants[variant]} ${className}`}
      {...props}
    />
  );
}
