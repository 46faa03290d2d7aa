import { PasswordField } from './password-field';
import type { Problems } from './use-form';

interface NewPasswordFieldsProps {
  values: { readonly new_password: string; readonly again: string };
  errors: Problems;
  set: (name: 'new_password' | 'again') => (value: string) => void;
  /** Whether one begins to type here. */
  isFirst?: boolean;
}

/** A new password, typed twice. */
export function NewPasswordFields({
  values,
  errors,
  set,
  isFirst = false,
}: NewPasswordFieldsProps) {
  return (
    <>
      <PasswordField
        label="New password"
        name="new_password"
        autoComplete="new-password"
        autoFocus={isFirst}
        description="12 characters or more. A few unrelated words are easy to remember."
        value={values.new_password}
        onValueChange={set('new_password')}
        error={errors.new_password}
      />
      <PasswordField
        label="Confirm new password"
        name="again"
        autoComplete="new-password"
        value={values.again}
        onValueChange={set('again')}
        error={errors.again}
      />
    </>
  );
}
