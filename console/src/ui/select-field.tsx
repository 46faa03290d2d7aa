import { Select } from '@base-ui/react/select';
import { ChevronDown } from 'lucide-react';
import { FieldFrame, type FieldProps } from './field';
import styles from './field.module.css';

interface SelectFieldProps<T extends string> extends FieldProps<T> {
  options: readonly { readonly value: T; readonly label: string }[];
}

export function SelectField<T extends string>(props: SelectFieldProps<T>) {
  const { value, options, onValueChange, ...frame } = props;
  return (
    <FieldFrame {...frame} isButton>
      <Select.Root
        items={options}
        value={value}
        onValueChange={(next) => next !== null && onValueChange(next as T)}
        modal={false}
      >
        <Select.Trigger className={`${styles.input} ${styles.trigger}`}>
          <Select.Value />
          <Select.Icon>
            <ChevronDown size={16} aria-hidden />
          </Select.Icon>
        </Select.Trigger>
        <Select.Portal>
          <Select.Positioner sideOffset={4} alignItemWithTrigger={false}>
            <Select.Popup className={styles.popup}>
              <Select.List>
                {options.map((option) => (
                  <Select.Item key={option.value} value={option.value} className={styles.item}>
                    <Select.ItemText>{option.label}</Select.ItemText>
                  </Select.Item>
                ))}
              </Select.List>
            </Select.Popup>
          </Select.Positioner>
        </Select.Portal>
      </Select.Root>
    </FieldFrame>
  );
}
