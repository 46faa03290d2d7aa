import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';
import styles from './choice-group.module.css';

/** For '', which the library takes for no value. */
const ALL = ' ';

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

/** Names as options, after one that stands for all of them, '', if it has a label. */
export function optionsOf(names: readonly string[], allLabel?: string) {
  const options = names.map((name) => ({ value: name, label: name }));
  return allLabel === undefined ? options : [{ value: '', label: allLabel }, ...options];
}

/** One of a few short choices, all of them in sight. */
export function ChoiceGroup<T extends string>(props: ChoiceGroupProps<T>) {
  const { label, value, choices, onValueChange } = props;
  return (
    <ToggleGroup
      aria-label={label}
      className={styles.group}
      value={[value || ALL]}
      onValueChange={([next = value]) => onValueChange((next === ALL ? '' : next) as T)}
    >
      {choices.map((choice) => (
        <Toggle key={choice.value} value={choice.value || ALL} className={styles.choice}>
          {choice.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
