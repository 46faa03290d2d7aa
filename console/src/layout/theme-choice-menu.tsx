import { SelectField } from '../ui/select-field';
import { type Theme, useTheme } from './theme-choice';

const OPTIONS: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'System theme' },
  { value: 'light', label: 'Light theme' },
  { value: 'dark', label: 'Dark theme' },
];

export function ThemeChoice() {
  const [theme, setTheme] = useTheme();
  return (
    <SelectField
      label="Theme"
      name="theme"
      isLabelHidden
      value={theme}
      options={OPTIONS}
      onValueChange={setTheme}
    />
  );
}
