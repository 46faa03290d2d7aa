import { Menu } from '@base-ui/react/menu';
import { Ellipsis } from 'lucide-react';
import buttonStyles from './button.module.css';
import fieldStyles from './field.module.css';
import styles from './row-menu.module.css';

export interface RowAction {
  readonly label: string;
  readonly run: () => void;
  readonly isDangerous?: boolean;
}

/** What can be done with one row of a table. */
export function RowMenu({ label, actions }: { label: string; actions: readonly RowAction[] }) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={`${buttonStyles.button} ${buttonStyles.quiet}`} aria-label={label}>
        <Ellipsis size={18} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" className={styles.positioner}>
          <Menu.Popup className={fieldStyles.popup}>
            {actions.map((action) => (
              <Menu.Item
                key={action.label}
                onClick={action.run}
                className={`${fieldStyles.item} ${action.isDangerous ? styles.danger : ''}`}
              >
                {action.label}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
