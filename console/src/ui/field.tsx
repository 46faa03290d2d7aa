import { Field } from '@base-ui/react/field';
import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, type ReactNode, useState } from 'react';
import styles from './field.module.css';

export interface FieldProps<T> {
  label: ReactNode;
  name: string;
  value: T;
  onValueChange: (value: T) => void;
  description?: ReactNode;
  error?: string | undefined;
  isLabelHidden?: boolean;
}

type FrameProps = Omit<FieldProps<unknown>, 'label' | 'value' | 'onValueChange'> & {
  /** Absent where the control has it inside. */
  label?: ReactNode;
  /** The control is no input that a native label could name. */
  isButton?: boolean;
  children: ReactNode;
};

export function FieldFrame(props: FrameProps) {
  const { label, name, isLabelHidden, isButton, children, description, error } = props;
  return (
    <Field.Root name={name} invalid={Boolean(error)} className={styles.field}>
      {label !== undefined && (
        <Field.Label
          className={isLabelHidden ? 'visually-hidden' : styles.label}
          {...(isButton && { nativeLabel: false, render: <div /> })}
        >
          {label}
        </Field.Label>
      )}
      {children}
      {description && (
        <Field.Description className={styles.description}>{description}</Field.Description>
      )}
      <Field.Error match={Boolean(error)} className={styles.error}>
        {error}
      </Field.Error>
    </Field.Root>
  );
}

/** In a list to choose from. */
export function OptionText({ label, hint }: { label: string; hint?: string | undefined }) {
  return (
    <span>
      {label}
      {hint && <span className={styles.hint}>{hint}</span>}
    </span>
  );
}

type ControlProps = Omit<
  ComponentProps<typeof Field.Control>,
  'onChange' | 'onValueChange' | keyof FieldProps<string>
>;

type TextFieldProps = FieldProps<string> &
  ControlProps & {
    trailing?: ReactNode;
  };

export function TextField(props: TextFieldProps) {
  const { label, name, description, error, isLabelHidden, onValueChange, trailing, ...rest } =
    props;
  return (
    <FieldFrame {...{ label, name, description, error }} isLabelHidden={isLabelHidden ?? false}>
      <div className={styles.control}>
        <Field.Control
          autoComplete="off"
          spellCheck={false}
          {...rest}
          className={styles.input}
          onValueChange={(value) => onValueChange(String(value))}
        />
        {trailing}
      </div>
    </FieldFrame>
  );
}

type TextAreaFieldProps = FieldProps<string> & {
  placeholder?: string;
  rows?: number;
};

export function TextAreaField(props: TextAreaFieldProps) {
  const { value, onValueChange, placeholder, rows = 4, ...frame } = props;
  return (
    <FieldFrame {...frame}>
      <Field.Control
        render={<textarea rows={rows} placeholder={placeholder} />}
        autoComplete="off"
        spellCheck={false}
        className={styles.input}
        value={value}
        onValueChange={(next) => onValueChange(String(next))}
      />
    </FieldFrame>
  );
}

type PasswordFieldProps = Omit<TextFieldProps, 'label' | 'type' | 'trailing'> & { label: string };

export function PasswordField(props: PasswordFieldProps) {
  const [isShown, setIsShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <TextField
      {...props}
      type={isShown ? 'text' : 'password'}
      trailing={
        <button
          type="button"
          className={styles.toggle}
          aria-label={`Show ${props.label.toLowerCase()}`}
          aria-pressed={isShown}
          onClick={() => setIsShown(!isShown)}
        >
          <Icon size={18} aria-hidden />
        </button>
      }
    />
  );
}

interface NewPasswordFieldsProps {
  field: (name: 'new_password' | 'again') => Omit<FieldProps<string>, 'label'>;
  /** One begins to type here. */
  isFirst?: boolean;
}

export function NewPasswordFields({ field, isFirst = false }: NewPasswordFieldsProps) {
  return (
    <>
      <PasswordField
        label="New password"
        autoComplete="new-password"
        autoFocus={isFirst}
        description="12 characters or more. A few unrelated words are easy to remember."
        {...field('new_password')}
      />
      <PasswordField label="Confirm new password" autoComplete="new-password" {...field('again')} />
    </>
  );
}
