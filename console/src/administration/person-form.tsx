import { useQuery } from '@tanstack/react-query';
import type { Role } from '@ticklake/client';
import { ComboboxField } from '../ui/combobox-field';
import { SelectField } from '../ui/select-field';
import { TextField } from '../ui/text-field';
import type { Problems } from '../ui/use-form';
import { type PersonFields, ROLE_OPTIONS } from './person-fields';
import { identitiesQuery } from './queries';

interface PersonFormProps {
  values: PersonFields;
  errors: Problems;
  set: <Name extends keyof PersonFields & string>(
    name: Name,
  ) => (value: PersonFields[Name]) => void;
}

const NO_IDENTITY = { value: '', label: 'No account of their own' };

/** E-mail address, role and identity of a person. */
export function PersonFormFields({ values, errors, set }: PersonFormProps) {
  const { data: identities = [] } = useQuery(identitiesQuery);
  const options = identities.map(({ identity_id, name }) => ({
    value: String(identity_id),
    label: name,
    hint: `Account ${identity_id}`,
  }));
  return (
    <>
      <TextField
        label="E-mail address"
        name="email"
        type="email"
        value={values.email}
        onValueChange={set('email')}
        error={errors.email}
        description="Used to sign in. Must be unique."
      />
      <SelectField<Role>
        label="Role"
        name="role"
        value={values.role}
        options={ROLE_OPTIONS}
        onValueChange={set('role')}
        error={errors.role}
      />
      <ComboboxField
        label="Account"
        name="identity_id"
        value={values.identity_id}
        options={values.role === 'owner' ? [NO_IDENTITY, ...options] : options}
        onValueChange={set('identity_id')}
        error={errors.identity_id}
        placeholder="Name or ID"
        empty="No accounts match."
        description="The account that this person can see."
      />
    </>
  );
}
