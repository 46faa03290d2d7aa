import { Combobox } from '@base-ui/react/combobox';
import { Check, ChevronDown, X } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { holdsAll } from '../format/texts';
import styles from './combobox-field.module.css';
import { FieldFrame, type FieldProps, OptionText } from './field';
import fieldStyles from './field.module.css';

interface ComboboxOption {
  readonly value: string;
  readonly label: string;
  /** Shown quietly under the label and searched too. */
  readonly hint?: string;
}

/** Options are the same if their values are. */
const OPTIONS = {
  itemToStringLabel: ({ label }: ComboboxOption) => label,
  isItemEqualToValue: (a: ComboboxOption, b: ComboboxOption) => a.value === b.value,
  filter: isMatch,
};

interface ComboboxFieldProps<T = string> extends FieldProps<T> {
  label: string;
  options: readonly ComboboxOption[];
  placeholder?: string;
  empty?: string;
}

/** A second Escape would empty the field: it is left to whatever is around it, such as a dialog. */
function keepOnEscape(_text: string, details: Combobox.Root.ChangeEventDetails): void {
  if (details.reason !== 'escape-key') return;
  details.cancel();
  details.allowPropagation();
}

function isMatch({ label, hint = '' }: ComboboxOption, query: string): boolean {
  return holdsAll(`${label} ${hint}`, query);
}

export function OptionList(props: {
  empty: string;
  children: (option: ComboboxOption) => ReactNode;
}) {
  return (
    <Combobox.Portal>
      <Combobox.Positioner sideOffset={4} className={styles.positioner}>
        <Combobox.Popup className={fieldStyles.popup}>
          <Combobox.Empty>
            <p className={styles.empty}>{props.empty}</p>
          </Combobox.Empty>
          <Combobox.List>
            {(option: ComboboxOption) => (
              <Combobox.Item key={option.value} value={option} className={fieldStyles.item}>
                {props.children(option)}
              </Combobox.Item>
            )}
          </Combobox.List>
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  );
}

/** A choice of one among many, found by typing parts of its name. '' while nothing is chosen. */
export function ComboboxField(props: ComboboxFieldProps) {
  const { value, options, onValueChange, placeholder, empty = 'Nothing matches', ...frame } = props;
  const chosen = useMemo(
    () => options.find((option) => option.value === value) ?? null,
    [options, value],
  );
  return (
    <FieldFrame {...frame}>
      <Combobox.Root
        items={options}
        value={chosen}
        onInputValueChange={keepOnEscape}
        onValueChange={(option: ComboboxOption | null, { isCanceled }) =>
          isCanceled || onValueChange(option?.value ?? '')
        }
        {...OPTIONS}
        autoHighlight
      >
        <Combobox.InputGroup className={styles.group}>
          <Combobox.Input
            className={fieldStyles.input}
            placeholder={placeholder}
            autoComplete="off"
            spellCheck={false}
          />
          <Combobox.Trigger
            className={styles.trigger}
            aria-label={`Show all: ${frame.label}`}
            tabIndex={-1}
          >
            <ChevronDown size={16} aria-hidden />
          </Combobox.Trigger>
        </Combobox.InputGroup>
        <OptionList empty={empty}>{(option) => <OptionText {...option} />}</OptionList>
      </Combobox.Root>
    </FieldFrame>
  );
}

/** A choice of several among many, found by typing parts of their names; in the order of choice. */
export function MultiComboboxField(props: ComboboxFieldProps<readonly string[]>) {
  const { value: values, options, onValueChange, placeholder, ...frame } = props;
  const known = new Map(options.map((option) => [option.value, option]));
  const chosen = values.map((value) => known.get(value) ?? { value, label: value });
  return (
    <FieldFrame {...frame}>
      <Combobox.Root
        items={options}
        multiple
        value={chosen}
        onInputValueChange={keepOnEscape}
        onValueChange={(next: ComboboxOption[], { isCanceled }) =>
          isCanceled || onValueChange(next.map(({ value }) => value))
        }
        {...OPTIONS}
        autoHighlight
      >
        <Combobox.InputGroup className={styles.chosen}>
          <Combobox.Chips className={styles.chips}>
            {chosen.map(({ value, label }) => (
              <Combobox.Chip key={value} className={styles.chip} aria-label={label}>
                {label}
                <Combobox.ChipRemove className={styles.remove} aria-label={`Remove ${label}`}>
                  <X size={14} aria-hidden />
                </Combobox.ChipRemove>
              </Combobox.Chip>
            ))}
            <Combobox.Input
              className={styles.input}
              placeholder={values.length === 0 ? placeholder : ''}
              autoComplete="off"
              spellCheck={false}
            />
          </Combobox.Chips>
        </Combobox.InputGroup>
        <OptionList empty="Nothing matches">
          {({ label }) => (
            <>
              <span className={styles.mark}>
                <Combobox.ItemIndicator>
                  <Check size={14} aria-hidden />
                </Combobox.ItemIndicator>
              </span>
              {label}
            </>
          )}
        </OptionList>
      </Combobox.Root>
    </FieldFrame>
  );
}
