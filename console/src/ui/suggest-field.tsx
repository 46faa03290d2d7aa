import { Autocomplete } from '@base-ui/react/autocomplete';
import { Field } from '@base-ui/react/field';
import { type ReactNode, useState } from 'react';
import comboboxStyles from './combobox-field.module.css';
import styles from './field.module.css';
import { FieldNotes } from './field-notes';

interface Suggested {
  /** What the field has when it is chosen. */
  readonly value: string;
  readonly label: string;
  /** Shown quietly under the label. */
  readonly hint: string;
}

interface SuggestFieldProps {
  label: string;
  name: string;
  value: string;
  /** `isTyped`: not one that was suggested. */
  onValueChange: (value: string, isTyped: boolean) => void;
  suggestions: readonly Suggested[];
  placeholder?: string;
  description?: ReactNode;
  error?: string | undefined;
  /** Few values, all of which are shown by a click: they stand in a field whose label needs no telling. */
  isChoice?: boolean;
}

/** A text that may be anything, with suggestions beneath it. */
export function SuggestField(props: SuggestFieldProps) {
  const { label, name, value, suggestions, error, isChoice = false } = props;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Field.Root name={name} invalid={Boolean(error)} className={styles.field}>
      <Field.Label className={isChoice ? 'visually-hidden' : styles.label}>{label}</Field.Label>
      <Autocomplete.Root
        openOnInputClick={isChoice}
        items={suggestions}
        // An open list hides all else from screen readers, even without a suggestion in it.
        open={isOpen && suggestions.length > 0}
        onOpenChange={setIsOpen}
        value={value}
        onValueChange={(text, details) => {
          // The second Escape would empty the field.
          if (details.reason === 'escape-key') details.cancel();
          else props.onValueChange(text, details.reason === 'input-change');
        }}
        itemToStringValue={(suggested: Suggested) => suggested.value}
        // Whoever suggests has chosen them by the text.
        mode="none"
      >
        <Autocomplete.Input
          className={styles.input}
          placeholder={props.placeholder}
          autoComplete="off"
          spellCheck={false}
        />
        <Autocomplete.Portal>
          <Autocomplete.Positioner sideOffset={4} className={comboboxStyles.positioner}>
            <Autocomplete.Popup className={styles.popup}>
              <Autocomplete.List>
                {(suggested: Suggested) => (
                  <Autocomplete.Item
                    key={suggested.value}
                    value={suggested}
                    className={styles.item}
                  >
                    <span>
                      {suggested.label}
                      {suggested.hint && (
                        <span className={comboboxStyles.hint}>{suggested.hint}</span>
                      )}
                    </span>
                  </Autocomplete.Item>
                )}
              </Autocomplete.List>
            </Autocomplete.Popup>
          </Autocomplete.Positioner>
        </Autocomplete.Portal>
      </Autocomplete.Root>
      <FieldNotes description={props.description} error={error} />
    </Field.Root>
  );
}
