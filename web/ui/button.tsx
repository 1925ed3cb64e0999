import { useId, type ComponentProps } from 'react';

const look =
  'inline-flex h-7 items-center justify-center gap-1.5 rounded-md border whitespace-nowrap aria-disabled:opacity-60 pointer-coarse:h-9';

const variants = {
  plain: 'border-line-strong bg-surface not-aria-disabled:hover:bg-hover',
  primary: 'border-accent bg-accent text-on-accent font-medium',
  danger: 'border-failed bg-surface text-failed font-medium not-aria-disabled:hover:bg-hover',
  bare: 'border-transparent text-muted not-aria-disabled:hover:bg-hover not-aria-disabled:hover:text-text',
} as const;

/** The look of a link that is a button of a toolbar, or an icon button. */
export const primaryLink = `${look} px-2.5 ${variants.primary}`;
/** The look of a link or menu that is a plain button. */
export const plainLook = `${look} px-2.5 ${variants.plain}`;
export const iconLink = `${look} w-7 shrink-0 pointer-coarse:w-9 border-transparent hover:bg-hover`;

interface ButtonProps extends ComponentProps<'button'> {
  variant?: keyof typeof variants;
  /** Why this person cannot use the button. It stays focusable and shows the reason. */
  reason?: string | undefined;
}

export function Button({ variant = 'plain', className = '', reason, ...props }: ButtonProps) {
  return (
    <Pressable reason={reason} className={`${look} px-2.5 ${variants[variant]} ${className}`} {...props} />
  );
}

/** An icon button; `label` is its accessible name. */
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

/**
 * Uses `aria-disabled` instead of `disabled`. A disabled button cannot be focused, hides its reason from screen
 * readers, and loses the focus when its action starts.
 */
function Pressable({
  reason,
  disabled = false,
  type = 'button',
  title,
  onClick,
  children,
  ...props
}: ButtonProps) {
  const id = useId();
  const isOff = disabled || reason !== undefined;
  return (
    <>
      <button
        type={type}
        {...props}
        aria-disabled={isOff || undefined}
        aria-describedby={reason && id}
        title={reason ?? title}
        onClick={isOff ? (event) => event.preventDefault() : onClick}
      >
        {children}
      </button>
      {reason !== undefined && (
        <span id={id} hidden>
          {reason}
        </span>
      )}
    </>
  );
}
