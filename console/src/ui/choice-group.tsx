import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';
import styles from './choice-group.module.css';

interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
}

interface ChoiceGroupProps<T extends string> {
  label: string;
  value: T;
  choices: readonly Choice<T>[];
  /** Called for the pressed one, too. */
  onValueChange: (value: T) => void;
}

/** One of a few short choices, all of them in sight. */
export function ChoiceGroup<T extends string>(props: ChoiceGroupProps<T>) {
  const { label, value, choices, onValueChange } = props;
  return (
    <ToggleGroup
      aria-label={label}
      className={styles.group}
      value={[value]}
      onValueChange={([next = value]) => onValueChange(next as T)}
    >
      {choices.map((choice) => (
        <Toggle key={choice.value} value={choice.value} className={styles.choice}>
          {choice.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
