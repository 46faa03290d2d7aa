import { useId } from 'react';
import styles from './field.module.css';

interface SearchFieldProps {
  value: string;
  onValueChange: (value: string) => void;
  placeholder?: string;
  label?: string;
  name?: string;
}

export function SearchField(props: SearchFieldProps) {
  const { label = 'Search', name = 'q', onValueChange, ...input } = props;
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <div className={styles.control}>
        <input
          {...{ id, name, ...input }}
          type="search"
          autoComplete="off"
          spellCheck={false}
          className={styles.input}
          onChange={({ target }) => onValueChange(target.value)}
        />
      </div>
    </div>
  );
}
