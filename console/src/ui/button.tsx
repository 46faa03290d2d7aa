import { Button as BaseButton } from '@base-ui/react/button';
import type { ComponentProps } from 'react';
import styles from './button.module.css';

export type ButtonKind = 'primary' | 'plain' | 'danger' | 'quiet';

export type ButtonProps = ComponentProps<typeof BaseButton> & {
  kind?: ButtonKind;
  /** Shows that the work it began has not ended, and takes no further click. */
  isBusy?: boolean;
};

export function Button({
  kind = 'plain',
  isBusy = false,
  disabled,
  children,
  ...rest
}: ButtonProps) {
  return (
    <BaseButton
      type="button"
      focusableWhenDisabled
      {...rest}
      className={`${styles.button} ${styles[kind]}`}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
    >
      {children}
    </BaseButton>
  );
}
