import { Button as BaseButton } from '@base-ui/react/button';
import { type LucideIcon, Plus } from 'lucide-react';
import type { ComponentProps } from 'react';
import styles from './button.module.css';

type ButtonProps = ComponentProps<typeof BaseButton> & {
  kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  /** Stands before the text, or alone beside an `aria-label`. */
  icon?: LucideIcon;
  /** Shows that the work it began has not ended, and takes no further click. */
  isBusy?: boolean;
};

export function Button(props: ButtonProps) {
  const { kind = 'plain', icon: Icon, isBusy = false, disabled, children, ...rest } = props;
  return (
    <BaseButton
      type="button"
      focusableWhenDisabled
      {...rest}
      className={`${styles.button} ${styles[kind]}`}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
    >
      {Icon && <Icon size={16} aria-hidden />}
      {children}
    </BaseButton>
  );
}

/** Begins something new. */
export function AddButton({ label, ...rest }: ButtonProps & { label: string }) {
  return (
    <Button icon={Plus} kind="primary" {...rest}>
      {label}
    </Button>
  );
}

type AnchorProps = ComponentProps<'a'> & Pick<ButtonProps, 'icon'> & { kind?: 'plain' | 'primary' };

/** A link that looks like a button. */
export function ButtonAnchor({ kind = 'plain', icon: Icon, children, ...rest }: AnchorProps) {
  return (
    <a {...rest} className={`${styles.button} ${styles.link} ${styles[kind]}`}>
      {Icon && <Icon size={16} aria-hidden />}
      {children}
    </a>
  );
}
