import { Autocomplete } from '@base-ui/react/autocomplete';
import { useState } from 'react';
import { OptionList } from './combobox-field';
import { FieldFrame, type FieldProps, OptionText } from './field';
import styles from './field.module.css';

export interface Suggestion {
  /** The field's text once it is chosen. */
  readonly value: string;
  readonly label: string;
  readonly hint: string;
}

interface SuggestFieldProps extends Omit<FieldProps<string>, 'onValueChange'> {
  /** `isTyped`: not one that was suggested. */
  onValueChange: (value: string, isTyped: boolean) => void;
  suggestions: readonly Suggestion[];
  placeholder?: string;
  /** Few values, all shown by a click: they stand in a field whose label needs no telling. */
  isChoice?: boolean;
}

/** A text that may be anything, with suggestions beneath it. */
export function SuggestField(props: SuggestFieldProps) {
  const { value, onValueChange, suggestions, placeholder, isChoice = false, ...frame } = props;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <FieldFrame {...frame} isLabelHidden={isChoice}>
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
          else onValueChange(text, details.reason === 'input-change');
        }}
        itemToStringValue={(suggested: Suggestion) => suggested.value}
        // Whoever suggests has chosen them by the text.
        mode="none"
      >
        <Autocomplete.Input
          className={styles.input}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
        />
        <OptionList empty="">{(suggested) => <OptionText {...suggested} />}</OptionList>
      </Autocomplete.Root>
    </FieldFrame>
  );
}
