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

interface ComboboxFieldProps extends FieldProps<string> {
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

interface OptionListProps<Option> {
  empty: string;
  children: (option: Option) => ReactNode;
}

function OptionList<Option>({ empty, children }: OptionListProps<Option>) {
  return (
    <Combobox.Portal>
      <Combobox.Positioner sideOffset={4} className={styles.positioner}>
        <Combobox.Popup className={fieldStyles.popup}>
          <Combobox.Empty>
            <p className={styles.empty}>{empty}</p>
          </Combobox.Empty>
          <Combobox.List>{children}</Combobox.List>
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
        itemToStringLabel={(option: ComboboxOption) => option.label}
        isItemEqualToValue={(a: ComboboxOption, b: ComboboxOption) => a.value === b.value}
        filter={isMatch}
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
        <OptionList empty={empty}>
          {(option: ComboboxOption) => (
            <Combobox.Item key={option.value} value={option} className={fieldStyles.item}>
              <OptionText {...option} />
            </Combobox.Item>
          )}
        </OptionList>
      </Combobox.Root>
    </FieldFrame>
  );
}

interface MultiComboboxFieldProps extends FieldProps<readonly string[]> {
  options: readonly string[];
  placeholder: string;
}

/** A choice of several among many, found by typing parts of their names; in the order of choice. */
export function MultiComboboxField(props: MultiComboboxFieldProps) {
  const { value: values, options, onValueChange, placeholder, ...frame } = props;
  return (
    <FieldFrame {...frame}>
      <Combobox.Root
        items={options}
        multiple
        value={[...values]}
        onInputValueChange={keepOnEscape}
        onValueChange={(next: string[], { isCanceled }) => isCanceled || onValueChange(next)}
        autoHighlight
      >
        <Combobox.InputGroup className={styles.chosen}>
          <Combobox.Chips className={styles.chips}>
            {values.map((value) => (
              <Combobox.Chip key={value} className={styles.chip} aria-label={value}>
                {value}
                <Combobox.ChipRemove className={styles.remove} aria-label={`Remove ${value}`}>
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
          {(option: string) => (
            <Combobox.Item key={option} value={option} className={fieldStyles.item}>
              <span className={styles.mark}>
                <Combobox.ItemIndicator>
                  <Check size={14} aria-hidden />
                </Combobox.ItemIndicator>
              </span>
              {option}
            </Combobox.Item>
          )}
        </OptionList>
      </Combobox.Root>
    </FieldFrame>
  );
}
