import { Menu } from '@base-ui/react/menu';
import { Ellipsis } from 'lucide-react';
import type { ComponentProps, ReactElement } from 'react';
import styles from './action-menu.module.css';
import { Button } from './button';

export interface Action {
  readonly label: string;
  readonly onChoose: () => void;
  readonly isDangerous?: boolean;
}

interface ActionMenuProps {
  label: string;
  actions: readonly Action[];
  /** In place of the usual button. */
  trigger?: ReactElement<Record<string, unknown>>;
  /** Has the focus afterwards; absent: the button. */
  finalFocus?: ComponentProps<typeof Menu.Popup>['finalFocus'];
}

export function ActionMenu({ label, actions, trigger, finalFocus }: ActionMenuProps) {
  const button = trigger ?? <Button kind="quiet" icon={Ellipsis} />;
  return (
    <Menu.Root>
      <Menu.Trigger render={button} aria-label={label} />
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end">
          <Menu.Popup className={styles.popup} finalFocus={finalFocus}>
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
