import { Combobox } from '@base-ui/react/combobox';
import { Field } from '@base-ui/react/field';
import { ChevronDown } from 'lucide-react';
import { useMemo } from 'react';
import comboboxStyles from './combobox-field.module.css';
import styles from './field.module.css';
import { FieldNotes } from './field-notes';

export interface ComboboxOption {
  readonly value: string;
  readonly label: string;
  /** Shown quietly under the label and searched too. */
  readonly hint?: string;
}

interface ComboboxFieldProps {
  label: string;
  name: string;
  /** '' while nothing is chosen. */
  value: string;
  options: readonly ComboboxOption[];
  onValueChange: (value: string) => void;
  placeholder?: string;
  description?: string;
  error?: string | undefined;
  isLabelHidden?: boolean;
  /** Said where nothing matches what was typed. */
  empty?: string;
}

function isMatch({ label, hint = '' }: ComboboxOption, query: string): boolean {
  const text = `${label} ${hint}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function OptionList({ empty }: { empty: string }) {
  return (
    <Combobox.Portal>
      <Combobox.Positioner sideOffset={4} className={comboboxStyles.positioner}>
        <Combobox.Popup className={styles.popup}>
          <Combobox.Empty>
            <p className={comboboxStyles.empty}>{empty}</p>
          </Combobox.Empty>
          <Combobox.List>
            {(option: ComboboxOption) => (
              <Combobox.Item key={option.value} value={option} className={styles.item}>
                <span>
                  {option.label}
                  {option.hint && <span className={comboboxStyles.hint}>{option.hint}</span>}
                </span>
              </Combobox.Item>
            )}
          </Combobox.List>
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  );
}

/** A choice of one among many, found by typing parts of its name. */
export function ComboboxField(props: ComboboxFieldProps) {
  const { label, name, value, options, error, empty = 'Nothing matches' } = props;
  const chosen = useMemo(
    () => options.find((option) => option.value === value) ?? null,
    [options, value],
  );
  return (
    <Field.Root name={name} invalid={Boolean(error)} className={styles.field}>
      <Field.Label className={props.isLabelHidden ? 'visually-hidden' : styles.label}>
        {label}
      </Field.Label>
      <Combobox.Root
        items={options}
        value={chosen}
        onValueChange={(option: ComboboxOption | null) => props.onValueChange(option?.value ?? '')}
        itemToStringLabel={(option: ComboboxOption) => option.label}
        isItemEqualToValue={(a: ComboboxOption, b: ComboboxOption) => a.value === b.value}
        filter={isMatch}
        autoHighlight
      >
        <Combobox.InputGroup className={comboboxStyles.group}>
          <Combobox.Input
            className={styles.input}
            placeholder={props.placeholder}
            autoComplete="off"
            spellCheck={false}
          />
          <Combobox.Trigger
            className={comboboxStyles.trigger}
            aria-label={`Show all: ${label}`}
            tabIndex={-1}
          >
            <ChevronDown size={16} aria-hidden />
          </Combobox.Trigger>
        </Combobox.InputGroup>
        <OptionList empty={empty} />
      </Combobox.Root>
      <FieldNotes description={props.description} error={error} />
    </Field.Root>
  );
}
