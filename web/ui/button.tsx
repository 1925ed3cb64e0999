import { useId, type ComponentProps } from 'react';

const look =
  'inline-flex h-7 items-center justify-center gap-1.5 rounded-md border whitespace-nowrap disabled:opacity-60 aria-disabled:opacity-60 pointer-coarse:h-9';

const variants = {
  plain: 'border-line-strong bg-surface not-aria-disabled:hover:bg-hover',
  primary: 'border-accent bg-accent text-on-accent font-medium',
  danger: 'border-failed bg-surface text-failed font-medium not-aria-disabled:hover:bg-hover',
  bare: 'border-transparent text-muted not-aria-disabled:hover:bg-hover not-aria-disabled:hover:text-text',
} as const;

interface ButtonProps extends ComponentProps<'button'> {
  variant?: keyof typeof variants;
  /** Why this person may not press it. It then does nothing, but can be reached and says why. */
  reason?: string | undefined;
}

export function Button({ variant = 'plain', className = '', reason, ...props }: ButtonProps) {
  return (
    <Pressable reason={reason} className={`${look} px-2.5 ${variants[variant]} ${className}`} {...props} />
  );
}

/** A button that shows only an icon; `label` is what it is called. */
export function IconButton({
  label,
  variant = 'bare',
  className = '',
  reason,
  ...props
}: ButtonProps & { label: string }) {
  return (
    <Pressable
      reason={reason}
      aria-label={label}
      title={label}
      className={`${look} w-7 shrink-0 pointer-coarse:w-9 ${variants[variant]} ${className}`}
      {...props}
    />
  );
}

/** A disabled button could not be reached by keyboard, and nobody would hear the reason. */
function Pressable({ reason, type = 'button', onClick, children, ...props }: ButtonProps) {
  const id = useId();
  if (reason === undefined) {
    return (
      <button type={type} onClick={onClick} {...props}>
        {children}
      </button>
    );
  }
  return (
    <>
      <button
        type="button"
        {...props}
        aria-disabled
        aria-describedby={id}
        title={reason}
        onClick={(event) => event.preventDefault()}
      >
        {children}
      </button>
      <span id={id} hidden>
        {reason}
      </span>
    </>
  );
}
