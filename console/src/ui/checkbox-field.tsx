import { Checkbox } from '@base-ui/react/checkbox';
import { Field } from '@base-ui/react/field';
import { Check } from 'lucide-react';
import styles from './checkbox-field.module.css';
import { FieldFrame, type FieldProps } from './field';

export function CheckboxField({ label, value, onValueChange, ...frame }: FieldProps<boolean>) {
  return (
    <FieldFrame {...frame}>
      <Field.Label className={styles.label}>
        <Checkbox.Root
          checked={value}
          onCheckedChange={(checked) => onValueChange(checked)}
          className={styles.box}
        >
          <Checkbox.Indicator className={styles.mark}>
            <Check size={14} strokeWidth={3} aria-hidden />
          </Checkbox.Indicator>
        </Checkbox.Root>
        {label}
      </Field.Label>
    </FieldFrame>
  );
}
