import { CheckboxField } from '../ui/checkbox-field';
import { TextAreaField } from '../ui/text-area-field';
import { TextField } from '../ui/text-field';
import type { Problems } from '../ui/use-form';
import type { IdentityFields } from './identity-fields';

interface IdentityFormFieldsProps {
  values: IdentityFields;
  errors: Problems;
  set: <Name extends keyof IdentityFields & string>(
    name: Name,
  ) => (value: IdentityFields[Name]) => void;
}

/** Name, ceiling, subnets and mark of an identity. */
export function IdentityFormFields({ values, errors, set }: IdentityFormFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        value={values.name}
        onValueChange={set('name')}
        error={errors.name}
      />
      <TextField
        label="Active API keys at most"
        name="max_active_api_keys"
        inputMode="numeric"
        value={values.max_active_api_keys}
        onValueChange={set('max_active_api_keys')}
        error={errors.max_active_api_keys}
        description="A lower ceiling ends no key that is there already."
      />
      <TextAreaField
        label="Subnets"
        name="ip_subnets"
        value={values.ip_subnets}
        onValueChange={set('ip_subnets')}
        error={errors.ip_subnets}
        placeholder={'203.0.113.0/24\n2001:db8::/32'}
        description="One in each line, as CIDR. None: requests may come from anywhere."
      />
      <CheckboxField
        label="Administrator"
        name="is_admin"
        isChecked={values.is_admin}
        onCheckedChange={set('is_admin')}
        error={errors.is_admin}
        description="Its keys may administer all identities over HTTP."
      />
    </>
  );
}
