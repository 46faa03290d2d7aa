import { Menu } from '@base-ui/react/menu';
import { Ellipsis } from 'lucide-react';
import styles from './action-menu.module.css';
import { Button } from './button';

export interface Action {
  readonly label: string;
  readonly onChoose: () => void;
  readonly isDangerous?: boolean;
}

export function ActionMenu({ label, actions }: { label: string; actions: readonly Action[] }) {
  return (
    <Menu.Root>
      <Menu.Trigger render={<Button kind="quiet" icon={Ellipsis} aria-label={label} />} />
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end">
          <Menu.Popup className={styles.popup}>
            {actions.map((action) => (
              <Menu.Item
                key={action.label}
                className={`${styles.item} ${action.isDangerous ? styles.dangerous : ''}`}
                onClick={action.onChoose}
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
